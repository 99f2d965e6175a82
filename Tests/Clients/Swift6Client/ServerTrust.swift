// Written as Apple's documentation and its readers write it, forced unwraps and casts included.
// swift-format-ignore-file: NeverForceUnwrap

internal import Dispatch
internal import Foundation
internal import Security

/// Judges servers, one at a time, on a queue of its own.
actor ServerTrust {
    struct Verdict: Sendable, Equatable {
        var isTrusted: Bool
        var chain: [String]
        var errorCode: Int?
    }

    private let anchors: [SecCertificate]
    private let queue = DispatchQueue(label: "com.example.trust")

    init(anchors: [SecCertificate]) {
        self.anchors = anchors
    }

    func judge(_ certificates: [SecCertificate], host: String, at date: Date) async throws -> Verdict {
        var created: SecTrust?
        let policy = SecPolicyCreateSSL(true, host as CFString)
        let status = SecTrustCreateWithCertificates(certificates as CFArray, policy, &created)
        guard status == errSecSuccess, let trust = created else {
            throw NSError(domain: NSOSStatusErrorDomain, code: Int(status))
        }
        SecTrustSetAnchorCertificates(trust, anchors as CFArray)
        SecTrustSetVerifyDate(trust, date as NSDate)
        let outcome: (Bool, Int?) = await withCheckedContinuation { continuation in
            queue.async { [queue] in
                let status = SecTrustEvaluateAsyncWithError(trust, queue) { _, isTrusted, error in
                    continuation.resume(returning: (isTrusted, error.map { CFErrorGetCode($0) }))
                }
                if status != errSecSuccess { continuation.resume(returning: (false, Int(status))) }
            }
        }
        let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
        return Verdict(
            isTrusted: outcome.0,
            chain: chain.map { SecCertificateCopySubjectSummary($0)! as String },
            errorCode: outcome.1
        )
    }
}

extension Client {
    static func servers(_ checks: Checks) async throws {
        let judge = ServerTrust(anchors: [Certificates.root])
        let server = Certificates.server
        let good = try await judge.judge([server], host: "api.example.com", at: Certificates.whileValid)
        await checks.check(
            good == .init(isTrusted: true, chain: ["www.example.com", "Example Root"], errorCode: nil),
            "a server under an anchor: \(good)"
        )
        let other = try await judge.judge([server], host: "example.net", at: Certificates.whileValid)
        await checks.check(!other.isTrusted && other.errorCode == Int(errSecHostNameMismatch), "another name: \(other)")
        let late = try await judge.judge([server], host: "api.example.com", at: .distantFuture)
        await checks.check(!late.isTrusted && late.errorCode == Int(errSecCertificateExpired), "too late: \(late)")

        // Keys: public ones are there, private ones report an error.
        let key = SecCertificateCopyKey(server)!
        let attributes = SecKeyCopyAttributes(key) as? [CFString: Any]
        await checks.check(attributes?[kSecAttrKeySizeInBits] as? Int == 256, "the size of a public key")
        let isSame = await Task.detached { SecCertificateCopyKey(server) == key }.value
        await checks.check(isSame, "a key in another task")
        var error: Unmanaged<CFError>?
        let wanted: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256]
        let made = SecKeyCreateRandomKey(wanted as CFDictionary, &error)
        await checks.check(
            made != nil || error?.takeRetainedValue() != nil,
            "a private key, or an error that says why not"
        )
    }
}
