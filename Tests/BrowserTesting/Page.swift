import Foundation
import Glibc

/// A page of a browser. Whatever it is asked, it answers within seconds or throws what was waited for.
package final class Page: Sendable {
    let pipe: DebuggingPipe
    let session: String
    let target: String
    let context: Browser.Context?

    init(_ pipe: DebuggingPipe, session: String, target: String, context: Browser.Context?) {
        self.pipe = pipe
        self.session = session
        self.target = target
        self.context = context
    }

    @discardableResult
    func send(_ method: String, _ parameters: JSONValue = [:], within seconds: Double = 20) throws -> JSONValue {
        do {
            return try pipe.send(method, parameters, session: session, by: Deadline(within: seconds))
        } catch let failure as BrowserFailure where method != "Runtime.evaluate" {
            throw BrowserFailure("\(failure); \(state)")
        }
    }

    package func close() throws {
        try pipe.send("Target.closeTarget", ["targetId": .string(target)], by: Deadline(within: 20))
    }

    // MARK: - What it shows

    package var url: String { get throws { try evaluate("location.href").description } }
    package var title: String { get throws { try evaluate("document.title").description } }
    package var text: String { get throws { try evaluate("document.body?.innerText ?? ''").description } }
    package var html: String { get throws { try evaluate("document.documentElement.outerHTML").description } }

    /// What it shows, for people who read that a test has failed.
    package var state: String {
        let about = "[location.href, document.title, (document.body?.innerText ?? '').slice(0, 800)]"
        guard let shown = try? evaluate(about, within: 2) else { return "the page does not answer" }
        let messages = recordedMessages.suffix(5).map { "\n  \($0.level): \($0.text)" }.joined()
        return "the page is \(shown[0]), titled \"\(shown[1])\", and shows: \(shown[2])"
            + (messages.isEmpty ? "" : "\nIts last messages:\(messages)")
    }

    // MARK: - JavaScript

    /// Runs JavaScript in the page, as its user's debugger does: neither its policies nor a ban on scripts matter.
    ///
    /// - Returns: what the last expression is worth, or what it promises; null for undefined.
    @discardableResult
    package func evaluate(_ script: String, within seconds: Double = 20) throws -> JSONValue {
        let answer = try send(
            "Runtime.evaluate",
            [
                "expression": .string(script), "awaitPromise": true, "returnByValue": true, "userGesture": true,
                "allowUnsafeEvalBlockedByCSP": true,
            ],
            within: seconds
        )
        return try Self.value(answer, of: script)
    }

    /// Calls a function with an object of the page's as `this`.
    func call(_ function: String, on object: String) throws -> JSONValue {
        let answer = try send(
            "Runtime.callFunctionOn",
            ["objectId": .string(object), "functionDeclaration": .string(function), "returnByValue": true]
        )
        return try Self.value(answer, of: function)
    }

    /// Evaluates an expression to an object that stays in the page, and returns its handle.
    func object(_ expression: String) throws -> String? {
        try send("Runtime.evaluate", ["expression": .string(expression)])["result"]["objectId"].text
    }

    private static func value(_ answer: JSONValue, of script: String) throws -> JSONValue {
        let exception = answer["exceptionDetails"]
        guard exception == .null else {
            let text = exception["exception"]["description"].text ?? exception["exception"]["value"].description
            throw BrowserFailure("\(exception["text"]) \(text) in: \(script.prefix(200))")
        }
        let result = answer["result"]
        return result["unserializableValue"] == .null ? result["value"] : result["unserializableValue"]
    }

    // MARK: - Waiting

    /// Waits until an expression is true. One that throws is not, and neither is one asked while another page comes.
    ///
    /// - Parameter what: what is waited for, as a sentence without its end: "the list is empty".
    package func waitUntil(_ what: String, within seconds: Double = 20, _ condition: String) throws {
        let deadline = Deadline(within: seconds)
        var last = "false"
        repeat {
            do {
                let left = max(Double(deadline.milliseconds(atMost: .max)) / 1_000, 0.1)
                let value = try evaluate("Promise.resolve(\(condition)).then(value => !!value)", within: left)
                if value.isTrue { return }
                last = "false"
            } catch {
                guard !pipe.isClosed else { throw error }
                last = "\(error)"
            }
            usleep(20_000)
        } while !deadline.isPast
        throw BrowserFailure("waited \(seconds) seconds in vain until \(what): \(condition) is \(last); \(state)")
    }

    /// Waits until a text can be read in the page.
    package func waitForText(_ text: String, within seconds: Double = 20) throws {
        let condition = "(document.body?.innerText ?? '').includes(\(JSONValue.string(text).quoted))"
        try waitUntil("the page shows \"\(text)\"", within: seconds, condition)
    }
}

extension JSONValue {
    /// As JavaScript writes it.
    var quoted: String { String(decoding: json, as: UTF8.self) }
}
