import EnclaveInterface
import KeychainModel
import Terminal

/// Showing a secret.
extension AccessSite {
    /// How long a secret stays on the screen.
    private static let shownSeconds = 30

    /// Longer ones are no passwords that anybody types.
    private static let mostSpelled = 128

    /// Asks the owner for this item, and shows its value on a page of its own, which leaves by itself.
    func reveal(_ reference: PersistentReference) throws(KeychainError) -> PageResponse {
        guard let item = try catalogue.item(reference) else { return message(.itemGone) }
        let summary = ItemSummary(item)
        guard summary.hasSecret else { return notThere() }
        guard let secret = try released(summary, "Show the \(summary.secretName) of “\(summary.shownName)”") else {
            return withoutSecret(summary, reference.path)
        }
        let text = secret.shownText
        let isSpelled =
            text.isText && !text.text.isEmpty && text.text.count <= Self.mostSpelled && !text.text.contains("\n")
        var response = framed(
            "secret",
            title: summary.kindName,
            in: summary.kind.path,
            [
                "item": summary.row,
                "label": summary.isCode
                    ? "Setup Address" : text.isText ? "Password" : "Password (bytes, in hexadecimal digits)",
                "name": summary.isCode ? "Setup Address" : "Password", "isCode": false,
                "value": text.text.isEmpty ? "(empty)" : text.text, "seconds": Self.shownSeconds,
                "href": reference.path,
                "againAction": "\(reference.path)/reveal",
                "canCopy": clipboard != nil, "copyAction": "\(reference.path)/copy", "copyValue": text.text,
                "hasSpelled": isSpelled, "spelled": isSpelled ? text.text.map(Self.spelled) : [],
            ]
        )
        // The page leaves by itself, with or without scripts.
        response.headers.append(("Refresh", "\(Self.shownSeconds); url=\(reference.path)"))
        return response
    }

    func withoutSecret(_ summary: ItemSummary, _ path: String) -> PageResponse {
        say(PageNotice(text: "This item has no \(summary.isCode ? "one-time code" : "password").", isError: true))
        return .redirect(to: path)
    }

    /// The value of an item, once its owner has agreed; nil where it has none.
    ///
    /// - Parameter reason: what they are asked, except in a view: there the service says it.
    /// - Throws: with a `PresenceFailure` where they have not.
    func released(_ summary: ItemSummary, _ reason: String) throws(KeychainError) -> SecretBytes? {
        if let authentication = try viewAuthentication() {
            var request = FindRequest(query: ItemCatalogue.query(summary.reference))
            request.returns = .data
            request.authentication = authentication
            return try catalogue.keychain.find(request).first?.secrets[.valueData]
        }
        let context = try catalogue.keychain.makeContext()
        defer { context.invalidate() }
        var prompt = PromptWishes()
        prompt.reason = reason
        // Also for an item that asks for nothing itself. Without a passcode there is nothing to ask for.
        if try catalogue.state()?.hasPasscode ?? false {
            var question = PresenceRequest(.owner)
            question.prompt = prompt
            try context.evaluate(question)
        }
        var request = FindRequest(query: ItemCatalogue.query(summary.reference))
        request.returns = .data
        request.authentication.context = context
        request.authentication.prompt = prompt
        return try catalogue.keychain.find(request).first?.secrets[.valueData]
    }

    /// A character, and what kind of one it is.
    static func spelled(_ character: Character) -> PageValues {
        let isDigit = character.isNumber
        let isLetter = character.isLetter && !isDigit
        let isSpace = character == " "
        let kind =
            isDigit
            ? "digit"
            : isSpace ? "space" : !isLetter ? "symbol" : character.isUppercase ? "capital" : "small letter"
        return [
            "character": String(character), "isLetter": isLetter, "isDigit": isDigit,
            "isSymbol": !isDigit && !isLetter && !isSpace, "isSpace": isSpace, "kind": kind,
        ]
    }
}

extension ItemSummary {
    /// What an item of its kind keeps secret.
    var secretName: String { isCode ? "setup address of the one-time code" : "password" }
}

extension SecretBytes {
    /// The value as text where it is text that can be shown, else in hexadecimal digits.
    var shownText: (text: String, isText: Bool) {
        unsafe withUnsafeBytes { bytes in
            if let text = unsafe String(validating: bytes, as: UTF8.self), text.unicodeScalars.allSatisfy(Self.isShown)
            {
                return (text, true)
            }
            let digits = Array("0123456789abcdef")
            return (unsafe String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }), false)
        }
    }

    /// Whether a character looks like what it is: a secret is shown exactly, or in digits.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || TerminalText.isSafe(scalar)
    }
}
