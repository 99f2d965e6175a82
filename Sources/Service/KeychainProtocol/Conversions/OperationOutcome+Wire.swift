import Foundation
import KeychainMessages
import KeychainModel

extension WireOutcome {
    init(_ outcome: OperationOutcome) {
        self.init()
        switch outcome {
        case .failure(let error): self.error = WireError(error)
        case .success(let result):
            explanation = result.explanation
            switch result.answer {
            case .items(let items): self.items.items = items.map { WireItem($0) }
            case .count(let count): self.count = UInt64(clamping: count)
            case .key(let key): self.key = Data(key.bytes)
            case .secret(let secret): self.secret = secret.data
            }
        }
    }
}

extension OperationOutcome {
    init(_ wire: WireOutcome) throws(KeychainError) {
        let answer: OperationResult.Answer
        switch wire.body {
        case .error(let error):
            self = .failure(KeychainError(error))
            return
        case .items(let items):
            answer = .items(try items.items.map { (item) throws(KeychainError) in try FoundItem(item) })
        case .count(let count): answer = .count(Int(clamping: count))
        case .key(let bytes):
            guard let key = EnclaveKey(bytes) else {
                throw KeychainError(.invalidParameter, "the service answers with a malformed private key")
            }
            answer = .key(key)
        case .secret(let secret): answer = .secret(SecretBytes(secret))
        case nil: throw KeychainError(.invalidParameter, "the service answers with an outcome that is unknown here")
        }
        self = .success(OperationResult(answer, explanation: wire.explanation))
    }
}

extension WireItem {
    init(_ item: FoundItem) {
        self.init()
        reference = Data(item.reference.bytes)
        attributes = item.attributes.wire
        accessControl = WireAccessControl(item.accessControl)
        secrets = item.secrets.wire
        if let object = item.object { self.object = object.data }
        if let sha1 = item.sha1 { self.sha1 = Data(sha1) }
        if let certificate = item.certificate {
            self.certificate = WireIdentityCertificate()
            if let data = certificate.data { self.certificate.data = data.data }
            if let tokenID = certificate.tokenID { self.certificate.tokenID = WireValue(tokenID) }
        }
    }
}

extension FoundItem {
    init(_ wire: WireItem) throws(KeychainError) {
        guard let reference = PersistentReference(Array(wire.reference)) else {
            throw KeychainError(.invalidParameter, "the service answers with a malformed persistent reference")
        }
        guard !wire.hasSha1 || wire.sha1.count == 20 else {
            throw KeychainError(.invalidParameter, "the service answers with a malformed SHA-1")
        }
        self.init(
            reference: reference,
            attributes: try AttributeList(ofItem: wire.attributes),
            accessControl: try AccessControl(wire.accessControl),
            secrets: try [AttributeKey: SecretBytes](ofItem: wire.secrets),
            object: wire.hasObject ? SecretBytes(wire.object) : nil,
            sha1: wire.hasSha1 ? Array(wire.sha1) : nil,
            certificate: wire.hasCertificate ? try IdentityCertificate(wire.certificate) : nil
        )
    }
}

extension IdentityCertificate {
    init(_ wire: WireIdentityCertificate) throws(KeychainError) {
        self.init(
            data: wire.hasData ? SecretBytes(wire.data) : nil,
            tokenID: wire.hasTokenID ? try AttributeValue(wire.tokenID) : nil
        )
    }
}
