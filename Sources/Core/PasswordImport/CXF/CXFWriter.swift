import KeychainCodes
package import KeychainModel

/// Writes passwords, one-time codes and passkeys in the Credential Exchange Format, piece by piece: the start, each entry,
/// and the end. What it writes is what `CXF` reads.
package struct CXFWriter {
    /// The format wants the name of a domain, and this program has none: RFC 2606 keeps this one free.
    private static let exporter = "chatelaine.invalid"
    private static let exporterName = "Chatelaine"
    /// The format has a byte for it.
    private static let longestPeriod = 255

    private let timestamp: Int64
    private let identifier: () -> [UInt8]
    private var isFirst = true
    private var root = Folder(title: "", id: [])
    /// The one-time codes that were left out, each with the reason.
    package private(set) var unwritten: [String] = []

    /// - Parameters:
    ///   - timestamp: seconds since 1970.
    ///   - identifier: makes 16 random bytes, for each account, entry and folder.
    package init(timestamp: Int64, identifier: @escaping () -> [UInt8]) {
        self.timestamp = timestamp
        self.identifier = identifier
    }

    /// A whole document. Passwords that are not text are left out.
    package static func document(
        passwords: [ImportedPassword],
        passkeys: [ImportedPasskey],
        timestamp: Int64,
        identifier: @escaping () -> [UInt8]
    ) -> SecretBytes {
        var writer = CXFWriter(timestamp: timestamp, identifier: identifier)
        var bytes = writer.start()
        for password in passwords { bytes += writer.entry(password) ?? [] }
        for passkey in passkeys { bytes += writer.entry(passkey) }
        return SecretBytes(bytes + writer.end())
    }

    package func start() -> [UInt8] {
        var json = JSONBytes()
        json.mark("{")
        json.member("version")
        json.mark("{")
        json.member("major")
        json.number(1)
        json.member("minor")
        json.number(0)
        json.mark("}")
        json.member("exporterRpId", Self.exporter)
        json.member("exporterDisplayName", Self.exporterName)
        json.member("timestamp")
        json.number(timestamp)
        json.member("accounts")
        json.mark("[")
        json.mark("{")
        json.member("id")
        json.base64URL(identifier())
        json.member("username", "")
        json.member("email", "")
        json.member("items")
        json.mark("[")
        return json.bytes
    }

    /// - Returns: nil for a password that is not text in UTF-8.
    package mutating func entry(_ password: ImportedPassword) -> [UInt8]? {
        guard password.password.isText else { return nil }
        let id = identifier()
        var json = JSONBytes()
        let code = writable(password.code, of: password)
        begin(&json, id, title: password.title, url: password.url)
        // The name of a code without a password is in the code.
        if password.password.count > 0 || password.userName != code?.account ?? "" {
            json.element()
            json.login(userName: password.userName, password: password.password)
        }
        if let code {
            json.element()
            json.code(code)
        }
        if !password.notes.isEmpty {
            json.element()
            json.note(password.notes)
        }
        json.mark("]")
        json.mark("}")
        if !password.folder.isEmpty { root.add(id, to: password.folder[...], identifier) }
        return json.bytes
    }

    package mutating func entry(_ passkey: ImportedPasskey) -> [UInt8] {
        var json = JSONBytes()
        begin(&json, identifier(), title: passkey.site, url: "https://\(passkey.site)")
        json.element()
        json.passkey(passkey)
        json.mark("]")
        json.mark("}")
        return json.bytes
    }

    /// The folders of the entries, and what closes the document.
    package func end() -> [UInt8] {
        var json = JSONBytes()
        json.mark("]")
        json.member("collections")
        json.mark("[")
        for folder in root.folders { folder.write(to: &json) }
        for character: Unicode.Scalar in ["]", "}", "]", "}", "\n"] { json.mark(character) }
        return json.bytes
    }

    /// An entry up to its credentials.
    private mutating func begin(_ json: inout JSONBytes, _ id: [UInt8], title: String, url: String) {
        if !isFirst { json.mark(",") }
        isFirst = false
        json.mark("{")
        json.member("id")
        json.base64URL(id)
        json.member("title", title)
        if !url.isEmpty {
            json.member("scope")
            json.mark("{")
            json.member("urls")
            json.mark("[")
            json.string(url.utf8)
            json.mark("]")
            json.member("androidApps")
            json.mark("[")
            json.mark("]")
            json.mark("}")
        }
        json.member("credentials")
        json.mark("[")
    }

    private mutating func writable(_ code: OneTimeCode?, of password: ImportedPassword) -> OneTimeCode? {
        guard let code, code.period > Self.longestPeriod else { return code }
        let name = [password.title, password.userName].filter { !$0.isEmpty }.joined(separator: ", ")
        unwritten.append("\(name): the code changes less often than every \(Self.longestPeriod) seconds")
        return nil
    }

    private struct Folder {
        let title: String
        let id: [UInt8]
        var items: [[UInt8]] = []
        var folders: [Folder] = []

        mutating func add(_ item: [UInt8], to path: ArraySlice<String>, _ identifier: () -> [UInt8]) {
            guard let title = path.first else { return items.append(item) }
            let index = folders.firstIndex { $0.title == title } ?? folders.count
            if index == folders.count { folders.append(Folder(title: title, id: identifier())) }
            folders[index].add(item, to: path.dropFirst(), identifier)
        }

        func write(to json: inout JSONBytes) {
            json.element()
            json.mark("{")
            json.member("id")
            json.base64URL(id)
            json.member("title", title)
            json.member("items")
            json.mark("[")
            for item in items {
                json.element()
                json.mark("{")
                json.member("item")
                json.base64URL(item)
                json.mark("}")
            }
            json.mark("]")
            if !folders.isEmpty {
                json.member("subCollections")
                json.mark("[")
                for folder in folders { folder.write(to: &json) }
                json.mark("]")
            }
            json.mark("}")
        }
    }
}

extension SecretBytes {
    fileprivate var isText: Bool {
        let copy = unsafe withUnsafeBytes { unsafe Array($0) }
        return (try? UTF8Span(validating: copy.span)) != nil
    }
}
