/// What a page, or the browser about it, has said where developers look.
package struct PageMessage: Sendable {
    /// Such as `console`, `exception`, `security` and `network`.
    package let source: String
    package let level: String
    package let text: String
}

/// What a page's Content-Security-Policy did not allow.
package struct PolicyViolation: Sendable {
    package let directive: String
    /// What was refused; empty for something within the page.
    package let url: String
    /// Such as `kInlineViolation` and `kURLViolation`.
    package let kind: String
}

extension Page {
    package var consoleMessages: [PageMessage] {
        get throws {
            try catchUp()
            return recordedMessages
        }
    }

    package var policyViolations: [PolicyViolation] {
        get throws {
            try catchUp()
            return pipe.events(session).filter { $0.method == "Audits.issueAdded" }.compactMap { event in
                let issue = event.details["issue"]
                guard issue["code"] == "ContentSecurityPolicyIssue" else { return nil }
                let details = issue["details"]["contentSecurityPolicyIssueDetails"]
                return PolicyViolation(
                    directive: details["violatedDirective"].text ?? "",
                    url: details["blockedURL"].text ?? "",
                    kind: details["contentSecurityPolicyViolationType"].text ?? ""
                )
            }
        }
    }

    /// What it asked in dialogs, which are all accepted.
    package var dialogs: [String] {
        pipe.events(session).filter { $0.method == "Page.javascriptDialogOpening" }
            .map { $0.details["message"].description }
    }

    /// Those that have come to us.
    var recordedMessages: [PageMessage] { pipe.events(session).compactMap(PageMessage.init) }
}

extension PageMessage {
    fileprivate init?(_ event: BrowserEvent) {
        let details = event.details
        switch event.method {
        case "Log.entryAdded":
            let entry = details["entry"]
            source = entry["source"].description
            level = entry["level"].description
            text = "\(entry["text"]) \(entry["url"].text ?? "")"
        case "Runtime.consoleAPICalled":
            source = "console"
            level = details["type"].description
            text = details["args"].elements
                .map { $0["value"] == .null ? $0["description"].description : $0["value"].description }
                .joined(separator: " ")
        case "Runtime.exceptionThrown":
            let exception = details["exceptionDetails"]
            source = "exception"
            level = "error"
            text = "\(exception["text"]) \(exception["exception"]["description"].text ?? "")"
        default: return nil
        }
    }
}
