import KeychainModel

extension MessageWriter {
    mutating func append(_ template: EnclaveKeyTemplate) throws(KeychainError) {
        guard case .accessibility(let accessibility) = template.accessControl.protection else {
            throw KeychainError(.invalidParameter, "a private key cannot be protected so")
        }
        append(template.algorithm.rawValue)
        append(accessibility.code)
        try append(short: template.accessControl.serialized)
        try append(short: Array(template.accessGroup.utf8))
    }

    mutating func append(_ use: KeyUse) throws(KeychainError) {
        try use.requireSize()
        switch use {
        case .signature(let digest):
            append(UInt8(1))
            append(digest)
        case .sharedSecret(let point):
            append(UInt8(2))
            append(point)
        case .messageSignature(let message, let context):
            append(UInt8(3))
            try append(short: message)
            try append(short: context)
        case .decapsulation(let ciphertext):
            append(UInt8(4))
            try append(short: ciphertext)
        }
    }
}

extension MessageReader {
    mutating func keyTemplate() throws(KeychainError) -> EnclaveKeyTemplate {
        guard let algorithm = EnclaveKeyAlgorithm(rawValue: try byte()),
            let accessibility = Accessibility(code: try byte()),
            let control = AccessControl(serialized: try short(), accessibility: accessibility),
            let group = String(validating: try short(), as: UTF8.self)
        else { throw Self.malformed }
        return EnclaveKeyTemplate(algorithm, accessGroup: group, accessControl: control)
    }

    mutating func keyUse() throws(KeychainError) -> KeyUse {
        let use: KeyUse =
            switch try byte() {
            case 1: .signature(ofDigest: Array(try take(KeyUse.digestSize)))
            case 2: .sharedSecret(with: Array(try take(KeyUse.pointSize)))
            case 3: .messageSignature(of: try short(), context: try short())
            case 4: .decapsulation(of: try short())
            default: throw Self.malformed
            }
        do throws(KeychainError) { try use.requireSize() } catch { throw Self.malformed }
        return use
    }

    mutating func enclaveKey() throws(KeychainError) -> EnclaveKey {
        guard let key = EnclaveKey(try short()) else { throw Self.malformed }
        return key
    }
}
