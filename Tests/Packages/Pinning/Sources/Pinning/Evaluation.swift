import Foundation

#if canImport(Security)
@preconcurrency import Security
#endif

#if canImport(Security)
/// Says whether a server is to be talked to.
public protocol TrustEvaluating: Sendable {
    func evaluate(_ trust: SecTrust, forHost host: String) throws
}

/// The type has a name of the library's, for its files that do not import Security.
public typealias ClientIdentity = SecIdentity

public enum EvaluationError: Error {
    case noCertificates
    case noMatch
    case denied(output: OSStatus, result: SecTrustResultType)
    case invalid(any Error)
}

/// Takes servers whose chain is valid and holds one of these keys.
public final class PublicKeysEvaluator: TrustEvaluating {
    private let keys: [SecKey]
    private let acceptsOwnAnchors: [SecCertificate]

    public init(keys: [SecKey], anchors: [SecCertificate] = []) {
        self.keys = keys
        acceptsOwnAnchors = anchors
    }

    public func evaluate(_ trust: SecTrust, forHost host: String) throws {
        guard !keys.isEmpty else { throw EvaluationError.noCertificates }
        if !acceptsOwnAnchors.isEmpty {
            let status = SecTrustSetAnchorCertificates(trust, acceptsOwnAnchors as CFArray)
            guard status == errSecSuccess else { throw EvaluationError.denied(output: status, result: .invalid) }
            SecTrustSetAnchorCertificatesOnly(trust, true)
        }
        try trust.pinned.validate(with: SecPolicyCreateSSL(true, host as CFString))
        let isPinned = trust.pinned.publicKeys.contains { found in keys.contains { $0 == found } }
        guard isPinned else { throw EvaluationError.noMatch }
    }
}

/// Members under a name of the library's own.
public struct Pinned<Base> {
    let base: Base
}

public protocol PinnedExtended {
    associatedtype Extended
    var pinned: Pinned<Extended> { get }
}

extension PinnedExtended {
    public var pinned: Pinned<Self> { Pinned(base: self) }
}

extension SecTrust: PinnedExtended {}
extension SecCertificate: PinnedExtended {}
extension SecTrustResultType: PinnedExtended {}

extension Pinned where Base == SecTrust {
    public func validate(with policy: SecPolicy) throws {
        let status = SecTrustSetPolicies(base, policy)
        guard status == errSecSuccess else { throw EvaluationError.denied(output: status, result: .invalid) }
        var error: CFError?
        guard SecTrustEvaluateWithError(base, &error) else {
            var result = SecTrustResultType.invalid
            let output = SecTrustGetTrustResult(base, &result)
            throw error.map { EvaluationError.invalid($0) } ?? EvaluationError.denied(output: output, result: result)
        }
    }

    public var certificates: [SecCertificate] {
        if #available(iOS 15, macOS 12, *) {
            return (SecTrustCopyCertificateChain(base) as? [SecCertificate]) ?? []
        }
        return (0..<SecTrustGetCertificateCount(base)).compactMap { SecTrustGetCertificateAtIndex(base, $0) }
    }

    public var publicKeys: [SecKey] { certificates.compactMap { $0.pinned.publicKey } }
}

extension Pinned where Base == SecCertificate {
    public var publicKey: SecKey? {
        var trust: SecTrust?
        let status = SecTrustCreateWithCertificates(base, SecPolicyCreateBasicX509(), &trust)
        guard let trust, status == errSecSuccess else { return nil }
        if #available(iOS 14, macOS 11, *) { return SecTrustCopyKey(trust) }
        return SecTrustCopyPublicKey(trust)
    }
}

extension Pinned where Base == SecTrustResultType {
    public var isSuccess: Bool { base == .unspecified || base == .proceed }
}
#endif
