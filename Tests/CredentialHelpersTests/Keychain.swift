import CredentialHelpers
import KeychainClient
import KeychainModel

/// A keychain in this process's memory.
func emptyKeychain() -> EmbeddedKeychain {
    EmbeddedKeychain(.memory, caller: Caller(name: "test", groups: AccessGroups(["test"])))
}

func secret(_ text: String) -> SecretBytes { SecretBytes(text.utf8) }

extension SecretBytes {
    var plain: String { unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } }
}

extension HelperReply {
    var text: String { output.plain }
}

extension EmbeddedKeychain {
    /// All internet passwords, or generic ones, with their attributes.
    func items(_ itemClass: ItemClass = .internetPassword) throws -> [FoundItem] {
        var request = FindRequest(query: ItemQuery(itemClass: itemClass))
        request.limit = .all
        request.returns = [.attributes, .data]
        return try find(request)
    }

    func git(_ action: String, _ lines: String...) -> HelperReply {
        GitHelper.answer(action, secret(lines.map { $0 + "\n" }.joined() + "\n"), from: self)
    }

    func docker(_ action: String, _ input: String = "") -> HelperReply {
        DockerHelper.answer(action, secret(input), from: self)
    }

    func cargo(_ line: String, token: String? = nil) -> String {
        CargoHelper.answer(secret(line), from: self) { (_) throws(HelperFailure) in
            guard let token else { throw HelperFailure("nobody is there") }
            return secret(token)
        }.text
    }

    func keyring(_ words: String..., password: String? = nil) throws(HelperFailure) -> HelperReply {
        KeyringHelper.answer(try KeyringRequest(words), password: password.map(secret), from: self)
    }
}
