// Written as Apple's documentation and its readers write it, forced unwraps and casts included.
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import Security

/// What the delegate of a URL session does with the trust of a challenge.
final class PinnedServer: NSObject {
    enum Disposition {
        case useCredential
        case cancelAuthenticationChallenge
    }

    private let host: String
    private let pinnedKeys: Set<Data>
    private let anchors: [SecCertificate]
    private(set) var lastError: Error?

    init(host: String, pinnedCertificates: [SecCertificate], anchors: [SecCertificate]) {
        self.host = host
        self.anchors = anchors
        pinnedKeys = Set(pinnedCertificates.compactMap { PinnedServer.publicKey(of: $0) })
    }

    static func publicKey(of certificate: SecCertificate) -> Data? {
        guard let key = SecCertificateCopyKey(certificate) else { return nil }
        var error: Unmanaged<CFError>?
        guard let data = SecKeyCopyExternalRepresentation(key, &error) else { return nil }
        return data as Data
    }

    func handle(_ serverTrust: SecTrust, completionHandler: (Disposition, SecTrust?) -> Void) {
        let policy = SecPolicyCreateSSL(true, host as CFString)
        guard SecTrustSetPolicies(serverTrust, policy) == errSecSuccess,
            SecTrustSetAnchorCertificates(serverTrust, anchors as CFArray) == errSecSuccess,
            SecTrustSetAnchorCertificatesOnly(serverTrust, true) == errSecSuccess
        else {
            completionHandler(.cancelAuthenticationChallenge, nil)
            return
        }
        var error: CFError?
        guard SecTrustEvaluateWithError(serverTrust, &error) else {
            lastError = error
            completionHandler(.cancelAuthenticationChallenge, nil)
            return
        }
        let chain = SecTrustCopyCertificateChain(serverTrust) as? [SecCertificate] ?? []
        let isPinned = chain.contains { PinnedServer.publicKey(of: $0).map(pinnedKeys.contains) ?? false }
        completionHandler(isPinned ? .useCredential : .cancelAuthenticationChallenge, isPinned ? serverTrust : nil)
    }
}

private func trust(_ certificates: Any, at date: Date = Certificates.whileValid) -> SecTrust {
    var trust: SecTrust?
    let status = SecTrustCreateWithCertificates(certificates as CFTypeRef, SecPolicyCreateBasicX509(), &trust)
    check(status == errSecSuccess, "a trust object")
    SecTrustSetVerifyDate(trust!, date as CFDate)
    return trust!
}

func checkPinning() {
    let server = Certificates.server
    let root = Certificates.root
    check(SecCertificateCopySubjectSummary(server) as String? == "www.example.com", "the subject of a certificate")
    check(CFGetTypeID(server) == SecCertificateGetTypeID(), "the type of a certificate")
    check(Certificates.make(Certificates.serverText) == server, "certificates are equal by value")
    check((SecCertificateCopyData(server) as Data).count > 400, "the bytes of a certificate")
    var name: CFString?
    check(SecCertificateCopyCommonName(server, &name) == errSecSuccess, "a common name")
    check(name as String? == "www.example.com", "the common name of a certificate")
    check(SecCertificateCopySerialNumberData(server, nil) as Data? == Data([0x12, 0x34]), "a serial number")
    let key = SecCertificateCopyKey(server)!
    let object: CFTypeRef = key
    check(CFGetTypeID(object) == SecKeyGetTypeID(), "the type of a key")
    check((object as! SecKey) == key && unsafeBitCast(object, to: SecKey.self) === key, "a key by a cast")
    check(!SecKeyIsAlgorithmSupported(key, .sign, .ecdsaSignatureMessageX962SHA256), "what a public key cannot do")

    let pinned = PinnedServer(host: "www.example.com", pinnedCertificates: [server], anchors: [root])
    pinned.handle(trust([server, root])) { disposition, accepted in
        check(
            disposition == .useCredential && accepted != nil,
            "a pinned server: \(String(describing: pinned.lastError))"
        )
    }
    pinned.handle(trust(server, at: Date(timeIntervalSince1970: 4_000_000_000))) { disposition, _ in
        check(disposition == .cancelAuthenticationChallenge && pinned.lastError != nil, "an expired server")
    }
    let other = PinnedServer(host: "www.example.org", pinnedCertificates: [server], anchors: [root])
    other.handle(trust([server, root])) { disposition, _ in
        check(disposition == .cancelAuthenticationChallenge, "a server of another name")
    }
    check((other.lastError as NSError?)?.domain == NSOSStatusErrorDomain, "the error of another name")
    let unpinned = PinnedServer(host: "www.example.com", pinnedCertificates: [], anchors: [root])
    unpinned.handle(trust([server, root])) { disposition, _ in
        check(disposition == .cancelAuthenticationChallenge, "a server that is not pinned")
    }
    let stranger = PinnedServer(host: "www.example.com", pinnedCertificates: [server], anchors: [])
    stranger.handle(trust([server, root])) { disposition, _ in
        check(disposition == .cancelAuthenticationChallenge, "a server without an anchor")
    }

    // The certificate as an item.
    let addQuery: [String: Any] = [
        kSecClass as String: kSecClassCertificate,
        kSecValueRef as String: server,
        kSecAttrLabel as String: "My Certificate",
    ]
    check(SecItemAdd(addQuery as CFDictionary, nil) == errSecSuccess, "add a certificate")
    let getQuery: [String: Any] = [
        kSecClass as String: kSecClassCertificate,
        kSecAttrLabel as String: "My Certificate",
        kSecReturnRef as String: kCFBooleanTrue!,
    ]
    var item: CFTypeRef?
    check(SecItemCopyMatching(getQuery as CFDictionary, &item) == errSecSuccess, "find a certificate")
    check((item as! SecCertificate) == server, "the certificate that was added")
    check(SecItemDelete([kSecClass: kSecClassCertificate] as CFDictionary) == errSecSuccess, "delete a certificate")
}
