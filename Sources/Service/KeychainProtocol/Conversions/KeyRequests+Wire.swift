import Foundation
import KeychainMessages
import KeychainModel

extension WireMakeKey {
    init(_ request: MakeKeyRequest) {
        self.init()
        if let group = request.accessGroup { accessGroup = group }
        if let control = request.accessControl { accessControl = WireAccessControl(control) }
        authentication = WireItemAuthentication(request.authentication)
        algorithm = WireKeyAlgorithm(request.algorithm)
    }
}

extension MakeKeyRequest {
    /// - Throws: `unimplemented` for an algorithm of later versions.
    init(_ wire: WireMakeKey) throws(KeychainError) {
        self.init()
        accessGroup = try wire.hasAccessGroup ? String.accessGroup(wire.accessGroup) : nil
        accessControl = wire.hasAccessControl ? try AccessControl(wire.accessControl) : nil
        authentication = try ItemAuthentication(wire.authentication)
        algorithm = try EnclaveKeyAlgorithm(wire.algorithm)
    }
}

extension WireUseKey {
    init(_ request: UseKeyRequest) {
        self.init()
        key = Data(request.key.bytes)
        switch request.use {
        case .signature(let digest): self.digest = Data(digest)
        case .sharedSecret(let point): self.point = Data(point)
        case .messageSignature(let message, let context):
            self.message.content = Data(message)
            self.message.context = Data(context)
        case .decapsulation(let ciphertext): self.ciphertext = Data(ciphertext)
        }
        authentication = WireItemAuthentication(request.authentication)
    }
}

extension UseKeyRequest {
    /// What is too long is cut to one byte more than there may be, so that it stays too long.
    ///
    /// - Throws: `undecodable` for what is no private key; `invalidParameter` for what none can do.
    init(_ wire: WireUseKey) throws(KeychainError) {
        guard let key = EnclaveKey(wire.key) else {
            throw KeychainError(.undecodable, "what stands for the private key is damaged")
        }
        let use: KeyUse
        switch wire.use {
        case .digest(let digest): use = .signature(ofDigest: Array(digest.prefix(KeyUse.digestSize + 1)))
        case .point(let point): use = .sharedSecret(with: Array(point.prefix(KeyUse.pointSize + 1)))
        case .message(let message):
            use = .messageSignature(
                of: Array(message.content.prefix(KeyUse.largestMessage + 1)),
                context: Array(message.context.prefix(KeyUse.largestContext + 1))
            )
        case .ciphertext(let ciphertext):
            use = .decapsulation(of: Array(ciphertext.prefix(KeyUse.largestCiphertext + 1)))
        case nil: throw KeychainError(.invalidParameter, "the private key is asked for nothing that is known here")
        }
        self.init(key: key, use: use)
        authentication = try ItemAuthentication(wire.authentication)
    }
}
