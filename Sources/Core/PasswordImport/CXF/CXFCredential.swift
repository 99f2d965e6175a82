import KeychainCodes
import KeychainModel

/// One of an entry's credentials. A credential that cannot be read is one of the others, and no error.
enum CXFCredential: Decodable {
    case login(userName: String, password: SecretBytes)
    case code(OneTimeCode)
    case note(String)
    case passkey(ImportedPasskey)
    /// What is not taken, in words for many of them.
    case other(String)

    private enum Key: String, CodingKey {
        case type, username, password, content, fields
    }

    init(from decoder: any Decoder) throws {
        guard let container = try? decoder.container(keyedBy: Key.self),
            let type = try? container.decode(String.self, forKey: .type)
        else {
            self = .other("credentials without a type")
            return
        }
        do {
            self = try Self.credential(type, container, decoder)
        } catch let failure as ImportFailure {
            throw failure
        } catch {
            self = .other("\(Self.name(of: type)) that cannot be read")
        }
    }

    private static func credential(
        _ type: String,
        _ container: KeyedDecodingContainer<Key>,
        _ decoder: any Decoder
    ) throws -> CXFCredential {
        func text(_ key: Key) throws -> String {
            try container.decodeIfPresent(CXFField.self, forKey: key)?.value ?? ""
        }
        switch type {
        case "basic-auth":
            return .login(userName: try text(.username), password: SecretBytes(Array(try text(.password).utf8)))
        case "totp":
            return try CXFCode(from: decoder).credential
        case "note":
            return .note(try text(.content))
        case "passkey":
            return .passkey(try CXFPasskey(from: decoder).passkey)
        case "custom-fields":
            return try container.count(.fields) == 0 ? .note("") : .other(name(of: type))
        default:
            return .other(name(of: type))
        }
    }

    private static let names = [
        "basic-auth": "passwords", "totp": "one-time codes", "note": "notes", "passkey": "passkeys",
        "address": "addresses", "api-key": "API keys", "credit-card": "cards", "custom-fields": "fields",
        "drivers-license": "driver's licenses", "file": "attachments", "generated-password": "generated passwords",
        "identity-document": "identity documents", "item-reference": "references to other entries",
        "passport": "passports", "person-name": "names of persons", "ssh-key": "SSH keys", "wifi": "Wi-Fi passwords",
    ]

    /// A type that is not known is quoted: so much of it as a name may have, without anything but letters, digits and
    /// dashes.
    private static func name(of type: String) -> String {
        if let name = names[type] { return name }
        let isCut = type.unicodeScalars.count > longestType
        let shown = type.unicodeScalars.prefix(longestType).map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789-_.".unicodeScalars.contains(scalar))
                ? Character(scalar) : "?"
        }
        return "credentials of the type “\(String(shown))\(isCut ? "…" : "")”"
    }

    private static let longestType = 32
}

/// Text that a person can change: an object with the text in it. Drafts of the format have the text alone.
struct CXFField: Decodable {
    let value: String

    private enum Key: String, CodingKey { case value }

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            value = text
        } else {
            value = try decoder.container(keyedBy: Key.self).decodeIfPresent(String.self, forKey: .value) ?? ""
        }
    }
}

/// What makes one-time codes. The secret is in Base32.
private struct CXFCode: Decodable {
    var secret: String
    var period: Int?
    var digits: Int?
    var username: String?
    var algorithm: String?
    var issuer: String?

    var credential: CXFCredential {
        do throws(CodeFailure) {
            return .code(try code())
        } catch {
            return .other("one-time codes: \(error.message)")
        }
    }

    private func code() throws(CodeFailure) -> OneTimeCode {
        let name = algorithm?.uppercased() ?? CodeAlgorithm.sha1.rawValue
        guard let function = CodeAlgorithm(rawValue: name) else { throw .otherAlgorithm }
        let labels = [issuer ?? "", username ?? ""]
        // A name that is too long is left out, and not the code.
        let areShort = labels.allSatisfy { $0.utf8.count <= OneTimeCode.longestLabel }
        return try OneTimeCode(
            secret: try Base32.decode(secret.utf8),
            algorithm: function,
            digits: digits ?? OneTimeCode.usualDigits,
            period: period ?? OneTimeCode.usualPeriod,
            issuer: areShort ? labels[0] : "",
            account: areShort ? labels[1] : ""
        )
    }
}
