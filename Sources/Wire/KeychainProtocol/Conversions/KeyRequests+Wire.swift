import Foundation
import KeychainMessages
import KeychainModel

extension WireMakeKey {
    init(_ request: MakeKeyRequest) {
        self.init()
        if let group = request.accessGroup { accessGroup = group }
        if let control = request.accessControl { accessControl = WireAccessControl(control) }
        authentication = WireItemAuthentication(request.authentication)
    }
}

extension MakeKeyRequest {
    init(_ wire: WireMakeKey) throws(KeychainError) {
        self.init()
        accessGroup = try wire.hasAccessGroup ? String.accessGroup(wire.accessGroup) : nil
        accessControl = wire.hasAccessControl ? try AccessControl(wire.accessControl) : nil
        authentication = try ItemAuthentication(wire.authentication)
    }
}

extension WireUseKey {
    init(_ request: UseKeyRequest) {
        self.init()
        key = Data(request.key.bytes)
        switch request.use {
        case .signature(let digest): self.digest = Data(digest)
        case .sharedSecret(let point): self.point = Data(point)
        }
        authentication = WireItemAuthentication(request.authentication)
    }
}

extension UseKeyRequest {
    /// - Throws: `undecodable` for what is no private key; `invalidParameter` for what none can do.
    init(_ wire: WireUseKey) throws(KeychainError) {
        guard let key = EnclaveKey(wire.key) else {
            throw KeychainError(.undecodable, "what stands for the private key is damaged")
        }
        let use: KeyUse
        switch wire.use {
        case .digest(let digest): use = .signature(ofDigest: Array(digest.prefix(KeyUse.digestSize + 1)))
        case .point(let point): use = .sharedSecret(with: Array(point.prefix(KeyUse.pointSize + 1)))
        case nil: throw KeychainError(.invalidParameter, "the private key is asked for nothing")
        }
        self.init(key: key, use: use)
        authentication = try ItemAuthentication(wire.authentication)
    }
}
