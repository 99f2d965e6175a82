import Foundation
import KeychainCodes
import KeychainModel

/// Copying: by this program, since a page's script would leave a secret in the clipboard for good.
extension AccessSite {
    /// Copies the value that a page shows, or else asks the owner for it.
    func copySecret(_ reference: PersistentReference, _ form: FormFields) throws(KeychainError) -> PageResponse {
        guard let item = try catalogue.item(reference) else { return message(.itemGone) }
        let summary = ItemSummary(item)
        guard clipboard != nil, summary.hasSecret else { return notThere() }
        // A browser sends a line's end as two characters. A value that is shown has never both.
        var value = form["value"].map { SecretBytes($0.replacing("\r\n", with: "\n").utf8) }
        if value == nil {
            let question = "Copy the \(summary.secretName) of “\(summary.shownName)”"
            value = try released(summary, question)?.shownBytes
        }
        guard let value else { return withoutSecret(summary, reference.path) }
        _ = put(value, summary.secretName)
        return .redirect(to: reference.path)
    }

    /// The same for the code of this moment.
    func copyCode(_ reference: PersistentReference, _ form: FormFields) throws(KeychainError) -> PageResponse {
        guard let item = try catalogue.item(reference) else { return message(.itemGone) }
        let summary = ItemSummary(item)
        guard clipboard != nil, summary.isCode else { return notThere() }
        let path = try passwordPath(of: summary)
        var digits = form["value"]
        if digits == nil, let secret = try released(summary, "Copy the one-time code of “\(summary.shownName)”") {
            digits = (try? OneTimeCode(stored: secret))?.code(at: Date().timeIntervalSince1970).digits
        }
        guard let digits else { return withoutSecret(summary, path) }
        _ = put(SecretBytes(digits.utf8), "one-time code")
        return .redirect(to: path)
    }

    /// Puts a secret into the clipboard, and has the next page say so.
    ///
    /// - Returns: false without a clipboard.
    func put(_ secret: SecretBytes, _ name: String) -> Bool {
        guard let clipboard else { return false }
        do throws(SecretClipboard.Failure) {
            try clipboard.copy(secret)
            let seconds = Int(clipboard.lifetime / .seconds(1))
            say(PageNotice(text: "The \(name) is in the clipboard for \(seconds) seconds."))
        } catch {
            switch error {
            case .tooLong: say(PageNotice(text: "The \(name) is too long to be copied.", isError: true))
            case .unreachable:
                say(
                    PageNotice(
                        text: "The clipboard of this desktop cannot be reached. Show the \(name) instead.",
                        isError: true
                    )
                )
            }
        }
        return true
    }
}

extension SecretBytes {
    /// The bytes of what a page would show.
    fileprivate var shownBytes: SecretBytes {
        let shown = shownText
        return shown.isText ? self : SecretBytes(shown.text.utf8)
    }
}
