import KeychainCodes
import KeychainModel

/// An entry: a title, and credentials that belong together.
struct CXFItem: Decodable {
    let id: String
    private let title: String
    private let scope: CXFScope?
    private let credentials: [CXFCredential]
    /// What it has that an item of a keychain has no place for.
    private let extras: [String]

    private enum Key: String, CodingKey {
        case id, title, subtitle, favorite, scope, credentials, tags, extensions
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decodeIfPresent(String.self, forKey: .id) ?? ""
        title = try container.decodeIfPresent(String.self, forKey: .title) ?? ""
        scope = try container.decodeIfPresent(CXFScope.self, forKey: .scope)
        credentials = try container.list(.credentials)
        var extras: [String] = []
        if try container.decodeIfPresent(String.self, forKey: .subtitle)?.isEmpty == false {
            extras.append("subtitle")
        }
        if try container.decodeIfPresent(Bool.self, forKey: .favorite) == true { extras.append("favorite") }
        if try container.count(.tags) > 0 { extras.append("tags") }
        if try container.count(.extensions) > 0 { extras.append("extensions") }
        self.extras = extras
    }

    /// What it becomes: a password for each of its names and passwords, the first one with the entry's code and notes.
    ///
    /// - Parameter folders: the path of each folder that it is in.
    func contents(in folders: [[String]]) -> (passwords: [ImportedPassword], passkeys: [ImportedPasskey]) {
        var parts = Parts(credentials)
        var base = ImportedPassword()
        base.title = title
        base.url = scope?.addresses.first ?? ""
        base.folder = folders.first ?? []
        var passwords = parts.logins.map { login in
            var password = base
            password.userName = login.userName
            password.password = login.password
            return password
        }
        if passwords.isEmpty, let code = parts.codes.first {
            base.userName = code.account
            passwords = [base]
        }
        if passwords.isEmpty {
            base.refusal = parts.refusal
            if parts.passkeys.isEmpty || base.refusal != nil {
                base.refusal = base.refusal ?? "entries without credentials"
                passwords = [base]
            }
        } else {
            complete(&passwords[0], with: parts)
            if folders.count > 1 { passwords[0].unplaced.append("other folders") }
        }
        if passwords.isEmpty {
            let extras = extras + (folders.isEmpty ? [] : ["folder"])
            for index in parts.passkeys.indices { parts.passkeys[index].unplaced += extras }
        }
        return (passwords.map(Self.bounded), parts.passkeys)
    }

    /// Gives an entry's first password what the entry has once.
    private func complete(_ password: inout ImportedPassword, with parts: Parts) {
        password.code = parts.codes.first
        var unplaced = parts.others
        if parts.notes.utf8.count <= AttributeKind.largestAttribute {
            password.notes = parts.notes
        } else {
            unplaced.append("notes")
        }
        if parts.codes.count > 1 { unplaced.append("other one-time codes") }
        if let scope, scope.addresses.count > 1 { unplaced.append("other addresses") }
        if let scope, scope.apps > 0 { unplaced.append("Android apps") }
        password.unplaced = unplaced + extras
    }

    /// One that a keychain would refuse is refused here, so that the others can be added.
    private static func bounded(_ password: ImportedPassword) -> ImportedPassword {
        let names = [password.title, password.url, password.userName]
        let areShort = names.allSatisfy { $0.utf8.count <= CXF.longestName }
        guard !areShort || password.password.count > AttributeKind.largestValue else { return password }
        var refused = ImportedPassword()
        refused.title = String(String.UnicodeScalarView(password.title.unicodeScalars.prefix(mostShown)))
        refused.refusal = areShort ? "passwords that are too long" : "entries with a name that is too long"
        return refused
    }

    /// How many characters of a title that is too long are kept, to name the entry by.
    private static let mostShown = 64

    /// The credentials by their kinds.
    private struct Parts {
        var logins: [(userName: String, password: SecretBytes)] = []
        var codes: [OneTimeCode] = []
        /// Texts of several notes are joined by an empty line.
        var notes = ""
        var passkeys: [ImportedPasskey] = []
        /// The names of the others, each once.
        private(set) var others: [String] = []

        private static let mostNames = 16

        init(_ credentials: [CXFCredential]) {
            for credential in credentials {
                switch credential {
                case .login(let userName, let password): logins.append((userName, password))
                case .code(let code): codes.append(code)
                case .note(let text): if !text.isEmpty { notes += (notes.isEmpty ? "" : "\n\n") + text }
                case .passkey(let passkey): passkeys.append(passkey)
                case .other(let name): add(name)
                }
            }
            // A login without anything is none. Beside a passkey, a name alone is that of the passkey's user.
            logins.removeAll { $0.userName.isEmpty && $0.password.count == 0 }
            guard !passkeys.isEmpty else { return }
            let names = Set(passkeys.map(\.userName))
            if logins.contains(where: { $0.password.count == 0 && !names.contains($0.userName) }) {
                add("user names without a password")
            }
            logins.removeAll { $0.password.count == 0 }
        }

        mutating func add(_ name: String) {
            guard !others.contains(name) else { return }
            if others.count < Self.mostNames {
                others.append(name)
            } else if others.last != Self.more {
                others.append(Self.more)
            }
        }

        private static let more = "other credentials"

        /// What an entry without a password is; nil if there is nothing to name. The notes of an entry with other
        /// credentials belong to these.
        var refusal: String? {
            if !others.isEmpty { return others.joined(separator: ", ") }
            return notes.isEmpty ? nil : "notes"
        }
    }
}
