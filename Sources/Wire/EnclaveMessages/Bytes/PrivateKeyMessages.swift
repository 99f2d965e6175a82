import KeychainEnclave
import KeychainModel

extension MessageWriter {
    mutating func append(_ template: EnclaveKeyTemplate) throws(KeychainError) {
        guard case .accessibility(let accessibility) = template.accessControl.protection else {
            throw KeychainError(.invalidParameter, "a private key cannot be protected so")
        }
        append(accessibility.code)
        try append(short: template.accessControl.serialized)
        try append(short: Array(template.accessGroup.utf8))
    }

    mutating func append(_ use: KeyUse) throws(KeychainError) {
        guard use.isOfRightSize else {
            throw KeychainError(.invalidParameter, "a digest has 32 bytes, and a public key 65")
        }
        switch use {
        case .signature(let digest):
            append(UInt8(1))
            append(digest)
        case .sharedSecret(let point):
            append(UInt8(2))
            append(point)
        }
    }
}

extension MessageReader {
    mutating func keyTemplate() throws(KeychainError) -> EnclaveKeyTemplate {
        guard let accessibility = Accessibility(code: try byte()),
            let control = AccessControl(serialized: try short(), accessibility: accessibility),
            let group = String(validating: try short(), as: UTF8.self)
        else { throw Self.malformed }
        return EnclaveKeyTemplate(accessGroup: group, accessControl: control)
    }

    mutating func keyUse() throws(KeychainError) -> KeyUse {
        switch try byte() {
        case 1: .signature(ofDigest: Array(try take(KeyUse.digestSize)))
        case 2: .sharedSecret(with: Array(try take(KeyUse.pointSize)))
        default: throw Self.malformed
        }
    }

    mutating func enclaveKey() throws(KeychainError) -> EnclaveKey {
        guard let key = EnclaveKey(try short()) else { throw Self.malformed }
        return key
    }
}
