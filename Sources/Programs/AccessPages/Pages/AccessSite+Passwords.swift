import Crypto
import EnclaveInterface
import Foundation
import KeychainModel
import KeychainServiceClient
import Synchronization

/// What looking at all passwords has shown. It has no password in it.
struct PasswordFindings: Sendable {
    /// Items that share a password, those of each password together.
    var reused: [[PersistentReference]] = []
    /// With the reason.
    var weak: [(reference: PersistentReference, reason: String)] = []
    /// Items that ask for more before they are read, and were left out.
    var skipped = 0
}

/// New passwords, and what is wrong with those that are there.
extension AccessSite {
    /// After which a password is called old, in seconds.
    private static let old = 3.0 * 365 * 86_400

    func passwords() throws(KeychainError) -> PageResponse { try passwordPage(PasswordGenerator(), nil) }

    func makePassword(_ form: FormFields) throws(KeychainError) -> PageResponse {
        guard let generator = PasswordGenerator(form) else {
            var generator = PasswordGenerator()
            generator.isWords = form["kind"] == "words"
            generator.length = generator.standardLength
            let range = generator.lengths
            return try passwordPage(
                generator,
                nil,
                error: "It can have \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return try passwordPage(generator, generator.password())
    }

    /// Copies a password that was made here, and shows it again: it is nowhere else yet.
    func copyPassword(_ form: FormFields) throws(KeychainError) -> PageResponse {
        guard let made = form["value"], let generator = PasswordGenerator(form),
            put(SecretBytes(made.utf8), "new password")
        else { return notThere() }
        return try passwordPage(generator, made)
    }

    private func passwordPage(
        _ generator: PasswordGenerator,
        _ made: String?,
        error: String? = nil
    ) throws(KeychainError) -> PageResponse {
        let shown: PageValues = [
            "isWords": generator.isWords, "hasDigits": generator.hasDigits, "hasSymbols": generator.hasSymbols,
            "numbers": [false, true].map { isWords -> PageValues in
                var one = PasswordGenerator()
                one.isWords = isWords
                let isChosen = isWords == generator.isWords
                var values: PageValues = [
                    "name": isWords ? "words" : "length", "label": isWords ? "Number of words" : "Number of characters",
                    "value": String(isChosen ? generator.length : one.standardLength), "isWords": isWords,
                    "minimum": String(one.lengths.lowerBound), "maximum": String(one.lengths.upperBound),
                ]
                if isChosen, let error { values["error"] = error }
                return values
            },
        ]
        var values: PageValues = ["heading": "Password check", "generator": shown, "checks": try checks()]
        if let made {
            var result: PageValues = [
                "label": "New password", "value": made, "hasSpelled": true, "spelled": made.map(Self.spelled),
                "strength": "\(generator.strength) (\(generator.bits) bits, chosen at random)",
            ]
            result["useAction"] = "/items/fill"
            if clipboard != nil {
                result["copyAction"] = "/passwords/copy"
                result["copyFields"] = generator.fields.map { ["name": $0, "value": $1] as PageValues }
            }
            values["result"] = result
        }
        let found = findings.withLock { $0 }
        values["checkAction"] = "/passwords/check"
        values["isChecked"] = found != nil
        values["checkNote"] =
            found.map { found in
                found.skipped == 0
                    ? "All passwords were checked."
                    : "\(PageDate.number(found.skipped)) items were left out: they ask for more before they are read."
            }
            ?? "The check reads all passwords, in this program alone, and forgets them at once."
        return framed("passwords", title: "Password check", in: "/passwords", status: error == nil ? 200 : 422, values)
    }

    private func checks() throws(KeychainError) -> [PageValues] {
        let index = try catalogue.index()
        let items = Dictionary(index.items.map { ($0.reference, $0) }, uniquingKeysWith: { first, _ in first })
        func check(
            _ title: String,
            _ explanation: String,
            _ found: [(item: ItemSummary, reason: String)],
            _ empty: String
        ) -> PageValues {
            [
                "title": title, "explanation": explanation, "hasRows": !found.isEmpty,
                "rows": found.prefix(ItemSelection.rows).map { item, reason in
                    var row = item.row
                    row["reason"] = reason
                    row["editHref"] = "\(item.reference.path)/edit"
                    return row
                }, "emptyText": empty,
            ]
        }
        let limit = Date.timeIntervalSinceReferenceDate - Self.old
        let aged = index.items.filter { $0.kind.hasSecret && !$0.isCode && $0.bridge == nil && $0.modified < limit }
            .sorted { $0.modified < $1.modified }
        let oldOnes = check(
            "Not changed for three years",
            "A change is not needed for its own sake. Look whether the account is still in use.",
            aged.map { ($0, "Set \(PageDate.text($0.modified).prefix(10))") },
            "Every password was changed in the last three years."
        )
        guard let found = findings.withLock({ $0 }) else { return [oldOnes] }
        return [
            check(
                "Used more than once",
                "If one of these sites loses its password, the others of the same letter are open as well.",
                found.reused.enumerated().flatMap { number, references in
                    references.compactMap { items[$0].map { ($0, "Password \(Self.letter(number))") } }
                },
                "No password is used twice."
            ),
            check(
                "Easily guessed",
                "By rules about their length and their characters.",
                found.weak.compactMap { weak in
                    items[weak.reference].map { ($0, weak.reason.prefix(1).uppercased() + weak.reason.dropFirst()) }
                },
                "No password breaks a rule."
            ),
            oldOnes,
        ]
    }

    /// A, B, … Z, and then numbers.
    private static func letter(_ number: Int) -> String {
        number < 26 ? String(UnicodeScalar(UInt8(ascii: "A") + UInt8(number))) : String(number + 1)
    }

    /// Reads all passwords once, and keeps which are the same and which are weak.
    func checkPasswords() throws(KeychainError) -> PageResponse {
        let context = try catalogue.keychain.makeContext()
        defer { context.invalidate() }
        if try catalogue.state()?.hasPasscode ?? false {
            var question = PresenceRequest(.owner)
            question.prompt.reason = "Check all passwords"
            try context.evaluate(question)
        }
        // Equal digests are equal passwords; the key is forgotten, and with it the way from a digest to a guess.
        let key = SymmetricKey(size: .bits256)
        var found = PasswordFindings()
        var owners: [[UInt8]: [PersistentReference]] = [:]
        for item in try catalogue.index().items where item.kind.hasSecret && !item.isCode && item.bridge == nil {
            guard !item.isGuarded else {
                found.skipped += 1
                continue
            }
            var request = FindRequest(query: ItemCatalogue.query(item.reference))
            request.returns = .data
            request.authentication.ui = .skip
            guard let read = try catalogue.keychain.find(request).first else {
                // Another program's, in a view: its owner would have to be asked for each.
                found.skipped += 1
                continue
            }
            guard let secret = read.secrets[.valueData], secret.count > 0 else {
                found.weak.append((item.reference, "empty"))
                continue
            }
            let (digest, text) = unsafe secret.withUnsafeBytes { bytes in
                (
                    unsafe Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key)),
                    unsafe String(validating: bytes, as: UTF8.self)
                )
            }
            owners[digest, default: []].append(item.reference)
            // A key or a token is no password that somebody has chosen.
            guard let text, text.count <= Self.longestTyped else { continue }
            if let reason = PasswordStrength.weakness(of: text, account: item.account, place: item.place) {
                found.weak.append((item.reference, reason))
            }
        }
        found.reused = owners.values.filter { $0.count > 1 }.sorted { $0.count > $1.count }
        findings.withLock { $0 = found }
        return .redirect(to: "/passwords")
    }

    private static let longestTyped = 64
}

extension PasswordGenerator {
    /// What somebody has chosen; nil where the length is out of its range.
    fileprivate init?(_ form: FormFields) {
        self.init()
        isWords = form["kind"] == "words"
        hasDigits = form["digits"] == "yes"
        hasSymbols = form["symbols"] == "yes"
        guard let length = form[isWords ? "words" : "length"].flatMap(Int.init), lengths.contains(length) else {
            return nil
        }
        self.length = length
    }

    fileprivate var standardLength: Int { isWords ? 6 : 20 }

    /// In a word. Guessing half of 2^64 passwords takes years where a hash is slow, and months where it is fast.
    fileprivate var strength: String { bits < 64 ? "Weak" : bits < 80 ? "Good" : "Very strong" }

    /// The same as fields of a form.
    fileprivate var fields: [(String, String)] {
        [
            ("kind", isWords ? "words" : "characters"), ("digits", hasDigits ? "yes" : ""),
            ("symbols", hasSymbols ? "yes" : ""), (isWords ? "words" : "length", String(length)),
        ]
    }
}
