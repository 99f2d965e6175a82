import CertificateTestSupport
import Foundation
import KeychainTrust
import Security
import Testing
import X509

@Suite
struct TrustTests {
    private let root: TestAuthority
    private let intermediate: TestAuthority
    private let leaf: TestAuthority

    init() throws {
        root = try TestAuthority.root("Root")
        intermediate = try root.issue("Intermediate", .authority)
        leaf = try intermediate.issue("Leaf", .server("www.example.com"))
    }

    private func object(_ holder: TestAuthority) throws -> SecCertificate {
        try #require(SecCertificateCreateWithData(nil, Data(holder.der) as CFData))
    }

    private func trust(
        _ holders: TestAuthority...,
        policy: SecPolicy = SecPolicyCreateBasicX509(),
        anchors: [TestAuthority]? = nil
    ) throws -> SecTrust {
        var trust: SecTrust?
        let certificates = try holders.map(object) as CFArray
        #expect(SecTrustCreateWithCertificates(certificates, policy, &trust) == errSecSuccess)
        let made = try #require(trust)
        if let anchors {
            #expect(SecTrustSetAnchorCertificates(made, try anchors.map(object) as CFArray) == errSecSuccess)
        }
        return made
    }

    private func error(of trust: SecTrust) -> NSError? {
        var error: CFError?
        return SecTrustEvaluateWithError(trust, &error) ? nil : error
    }

    private func result(of trust: SecTrust) -> SecTrustResultType {
        var result = SecTrustResultType.otherError
        #expect(SecTrustGetTrustResult(trust, &result) == errSecSuccess)
        return result
    }

    // MARK: Making one

    @Test func `a trust object is made of certificates and policies, each alone or in an array`() throws {
        let certificate = try object(leaf)
        let policy = SecPolicyCreateBasicX509()
        for certificates in [certificate, [certificate] as NSArray, [certificate, certificate] as NSArray]
            as [CFTypeRef]
        {
            for policies in [nil, policy, [policy, SecPolicyCreateSSL(true, nil)] as NSArray] as [CFTypeRef?] {
                var trust: SecTrust?
                #expect(SecTrustCreateWithCertificates(certificates, policies, &trust) == errSecSuccess)
                #expect(trust != nil)
                #expect(CFGetTypeID(trust) == SecTrustGetTypeID())
            }
        }
    }

    @Test func `nothing else makes one`() throws {
        let certificate = try object(leaf)
        let policy = SecPolicyCreateBasicX509()
        var trust: SecTrust?
        for wrong in [
            NSNull(), "certificate" as NSString, Data(leaf.der) as NSData, [] as NSArray, [certificate, 1] as NSArray,
            [[certificate]] as NSArray, policy, NSDictionary(),
        ] as [CFTypeRef] {
            #expect(SecTrustCreateWithCertificates(wrong, policy, &trust) == errSecParam, "\(wrong)")
        }
        for wrong in [NSNull(), "policy" as NSString, [] as NSArray, [policy, certificate] as NSArray, certificate]
            as [CFTypeRef]
        {
            #expect(SecTrustCreateWithCertificates(certificate, wrong, &trust) == errSecParam, "\(wrong)")
            #expect(try SecTrustSetPolicies(self.trust(leaf), wrong) == errSecParam, "\(wrong)")
        }
        #expect(trust == nil)
        #expect(try SecTrustSetAnchorCertificates(self.trust(leaf), [1] as CFArray) == errSecParam)
    }

    // MARK: Evaluating

    @Test func `a certificate that leads to an anchor of the caller's is trusted`() throws {
        let trust = try self.trust(leaf, intermediate, anchors: [root])
        #expect(result(of: trust) == .invalid)
        #expect(error(of: trust) == nil)
        #expect(result(of: trust) == .unspecified)
        let chain = try #require(SecTrustCopyCertificateChain(trust) as? [SecCertificate])
        #expect(chain.map { SecCertificateCopyData($0) as Data } == [leaf, intermediate, root].map { Data($0.der) })
        #expect(SecTrustGetCertificateCount(trust) == 3)
    }

    @Test func `the reason why a certificate is not trusted is an error with a status and a sentence`() throws {
        let host = SecPolicyCreateSSL(true, "www.example.org" as CFString)
        for (trust, status) in try [
            (self.trust(leaf, intermediate, anchors: []), errSecCreateChainFailed),
            (self.trust(leaf, intermediate, root, anchors: []), errSecNotTrusted),
            (self.trust(leaf, anchors: [root]), errSecCreateChainFailed),
            (self.trust(leaf, intermediate, policy: host, anchors: [root]), errSecHostNameMismatch),
        ] {
            let found = error(of: trust)
            let reason = try #require(found)
            #expect(reason.domain == NSOSStatusErrorDomain)
            #expect(reason.code == Int(status))
            #expect(reason.localizedDescription.hasSuffix("."))
            #expect(result(of: trust) == .recoverableTrustFailure)
        }
    }

    @Test func `an expired certificate and an early one have statuses of their own`() throws {
        let trust = try self.trust(leaf, intermediate, anchors: [root])
        #expect(SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceNow: 1e8)) == errSecSuccess)
        #expect(error(of: trust)?.code == Int(errSecCertificateExpired))
        #expect(SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceNow: -1e8)) == errSecSuccess)
        #expect(error(of: trust)?.code == Int(errSecCertificateNotValidYet))
        #expect(abs(SecTrustGetVerifyTime(trust) - (CFAbsoluteTimeGetCurrent() - 1e8)) < 1000)
    }

    @Test func `no error is left in the caller's variable where the certificate is trusted`() throws {
        var error: CFError? = NSError(domain: "earlier", code: 1)
        #expect(try SecTrustEvaluateWithError(trust(leaf, intermediate, anchors: [root]), &error))
        #expect(error == nil)
    }

    @Test func `a change makes the outcome void`() throws {
        let trust = try self.trust(leaf, intermediate, anchors: [root])
        #expect(error(of: trust) == nil)
        SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, "www.example.org" as CFString))
        #expect(result(of: trust) == .invalid)
        #expect(SecTrustCopyResult(trust) == nil)
        #expect(error(of: trust) != nil)
    }

    @Test func `the system's anchors count unless the caller has given some, or wants both`() throws {
        try SystemAnchors.$override.withValue(SystemAnchors([root.der])) {
            let other = try TestAuthority.root("Other")
            let trust = try self.trust(leaf, intermediate)
            #expect(error(of: trust) == nil)
            SecTrustSetAnchorCertificates(trust, [try object(other)] as CFArray)
            #expect(error(of: trust) != nil)
            SecTrustSetAnchorCertificatesOnly(trust, false)
            #expect(error(of: trust) == nil)
            SecTrustSetAnchorCertificatesOnly(trust, true)
            #expect(error(of: trust) != nil)
            SecTrustSetAnchorCertificates(trust, nil)
            #expect(error(of: trust) == nil)
            var anchors: CFArray?
            #expect(SecTrustCopyAnchorCertificates(&anchors) == errSecSuccess)
            #expect((anchors as? [SecCertificate])?.map { SecCertificateCopyData($0) as Data } == [Data(root.der)])
        }
    }

    @Test func `settings are given back`() throws {
        let trust = try self.trust(leaf)
        var anchors: CFArray?
        var policies: CFArray?
        var mayFetch: DarwinBoolean = true
        #expect(SecTrustCopyCustomAnchorCertificates(trust, &anchors) == errSecSuccess)
        #expect(anchors == nil)
        SecTrustSetAnchorCertificates(trust, [try object(root)] as CFArray)
        SecTrustCopyCustomAnchorCertificates(trust, &anchors)
        #expect(anchors as? [SecCertificate] == [try object(root)])
        let policy = SecPolicyCreateSSL(true, nil)
        SecTrustSetPolicies(trust, [policy] as CFArray)
        #expect(SecTrustCopyPolicies(trust, &policies) == errSecSuccess)
        #expect(policies as? [SecPolicy] == [policy])
        SecTrustSetNetworkFetchAllowed(trust, false)
        SecTrustGetNetworkFetchAllowed(trust, &mayFetch)
        #expect(!mayFetch.boolValue)
    }

    @Test func `the outcome as a dictionary has its date and its number`() throws {
        let trust = try self.trust(leaf, intermediate, anchors: [root])
        #expect(error(of: trust) == nil)
        let result = try #require(SecTrustCopyResult(trust) as? [String: Any])
        #expect(result["TrustResultValue"] as? Int == 4)
        #expect(result["TrustEvaluationDate"] is Date)
        #expect(result["TrustRevocationChecked"] == nil)
    }

    private func revocation(_ trust: SecTrust) throws -> [String: Any] {
        try #require(SecTrustCopyResult(trust) as? [String: Any])
    }

    @Test func `a policy may refuse to put up with no answer about revocation`() throws {
        let trust = try self.trust(leaf, intermediate, anchors: [root])
        let lenient = try #require(SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod))
        SecTrustSetPolicies(trust, [SecPolicyCreateBasicX509(), lenient] as CFArray)
        #expect(error(of: trust) == nil)
        #expect(try revocation(trust)["TrustRevocationChecked"] as? Bool == false)
        let strict = SecPolicyCreateRevocation(
            kSecRevocationUseAnyAvailableMethod | kSecRevocationRequirePositiveResponse
        )
        SecTrustSetPolicies(trust, try #require(strict))
        #expect(error(of: trust)?.code == Int(errSecIncompleteCertRevocationCheck))
        #expect(SecTrustSetOCSPResponse(trust, NSData()) == errSecSuccess)
        #expect(error(of: trust)?.code == Int(errSecIncompleteCertRevocationCheck))
        let good = [
            try TestResponses.make(about: leaf, of: intermediate, status: "V"),
            try TestResponses.make(about: intermediate, of: root, status: "V"),
        ]
        #expect(SecTrustSetOCSPResponse(trust, good.map { Data($0) } as CFArray) == errSecSuccess)
        #expect(error(of: trust) == nil)
        #expect(try revocation(trust)["TrustRevocationChecked"] as? Bool == true)
        #expect(try revocation(trust)["TrustExpirationDate"] is Date)
    }

    @Test func `an option demands an answer about each certificate, beside the policies`() throws {
        let trust = try self.trust(leaf, intermediate, anchors: [root])
        #expect(SecTrustSetOptions(trust, .requireRevPerCert) == errSecSuccess)
        #expect(error(of: trust)?.code == Int(errSecIncompleteCertRevocationCheck))
        #expect(try revocation(trust)["TrustRevocationChecked"] as? Bool == false)
        let one = try TestResponses.make(about: leaf, of: intermediate, status: "V")
        #expect(SecTrustSetOCSPResponse(trust, Data(one) as CFData) == errSecSuccess)
        #expect(error(of: trust)?.code == Int(errSecIncompleteCertRevocationCheck))
        let both = [one, try TestResponses.make(about: intermediate, of: root, status: "V")]
        #expect(SecTrustSetOCSPResponse(trust, both.map { Data($0) } as CFArray) == errSecSuccess)
        #expect(error(of: trust) == nil)
        // The policies stay as they are.
        var policies: CFArray?
        #expect(SecTrustCopyPolicies(trust, &policies) == errSecSuccess)
        #expect((policies as NSArray?)?.count == 1)
        SecTrustSetOCSPResponse(trust, nil)
        SecTrustSetOptions(trust, [])
        #expect(error(of: trust) == nil)
    }

    @Test func `a certificate is refused whose revocation came with it, and no exception lets it pass`() throws {
        let trust = try self.trust(leaf, intermediate, policy: SecPolicyCreateSSL(true, nil), anchors: [root])
        #expect(error(of: trust) == nil)
        let revoked = Data(try TestResponses.make(about: leaf, of: intermediate, status: "R"))
        #expect(SecTrustSetOCSPResponse(trust, revoked as CFData) == errSecSuccess)
        #expect(error(of: trust)?.code == Int(errSecCertificateRevoked))
        #expect(result(of: trust) == .fatalTrustFailure)
        #expect(SecTrustCopyExceptions(trust) == nil)
        #expect(try revocation(trust)["TrustRevocationChecked"] as? Bool == true)
        #expect(SecTrustSetOCSPResponse(trust, nil) == errSecSuccess)
        #expect(error(of: trust) == nil)
    }

    @Test func `what came with a certificate is data, and of it no more than anybody sends`() throws {
        let trust = try self.trust(leaf)
        #expect(SecTrustSetOCSPResponse(trust, NSNumber(value: 1)) == errSecParam)
        #expect(SecTrustSetOCSPResponse(trust, [Data(), 1] as CFArray) == errSecParam)
        #expect(SecTrustSetOCSPResponse(trust, Array(repeating: Data(), count: 33) as CFArray) == errSecParam)
        #expect(SecTrustSetOCSPResponse(trust, Data(count: 1 << 20 + 1) as CFData) == errSecParam)
        #expect(SecTrustSetOCSPResponse(trust, Data(count: 1 << 20) as CFData) == errSecSuccess)
        #expect(SecTrustSetSignedCertificateTimestamps(trust, [Data()] as CFArray) == errSecUnimplemented)
    }

    // MARK: Exceptions

    @Test func `what was recorded as an exception passes, and nothing else does`() throws {
        let alone = try TestAuthority.root("Alone", .server("www.example.com"))
        let host = SecPolicyCreateSSL(true, "www.example.org" as CFString)
        let trust = try self.trust(alone, policy: host, anchors: [])
        #expect(error(of: trust) != nil)
        let exceptions = try #require(SecTrustCopyExceptions(trust))
        #expect(SecTrustSetExceptions(trust, exceptions))
        #expect(error(of: trust) == nil)
        #expect(result(of: trust) == .proceed)
        // Another failure than those that were recorded.
        SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceNow: 1e8))
        #expect(error(of: trust)?.code == Int(errSecNotTrusted))
        SecTrustSetVerifyDate(trust, NSDate())
        #expect(!SecTrustSetExceptions(trust, nil))
        #expect(error(of: trust) != nil)
    }

    @Test func `exceptions are for the certificate of which they were recorded`() throws {
        let first = try trust(TestAuthority.root("A"), anchors: [])
        let second = try trust(TestAuthority.root("A"), anchors: [])
        let exceptions = try #require(SecTrustCopyExceptions(first))
        #expect(!SecTrustSetExceptions(second, exceptions))
        #expect(error(of: second) != nil)
        for length in 0..<exceptions.length {
            let part = (exceptions as Data).prefix(length) as CFData
            #expect(!SecTrustSetExceptions(first, part), "\(length) bytes")
        }
    }

    @Test func `an end certificate that issued another has no exception`() throws {
        let bogus = try leaf.issue("Bogus")
        let trust = try self.trust(bogus, leaf, intermediate, anchors: [root])
        #expect(error(of: trust) != nil)
        #expect(result(of: trust) == .fatalTrustFailure)
        #expect(SecTrustCopyExceptions(trust) == nil)
    }

    // MARK: From elsewhere

    @Test func `an evaluation on a queue tells its outcome there`() async throws {
        let good = try trust(leaf, intermediate, anchors: [root])
        let bad = try trust(leaf, intermediate, anchors: [])
        for (trust, isTrusted) in [(good, true), (bad, false)] {
            let outcome = await withCheckedContinuation { continuation in
                SecTrustEvaluateAsyncWithError(trust, .global()) { _, isTrusted, error in
                    continuation.resume(returning: (isTrusted, error == nil))
                }
            }
            #expect(outcome == (isTrusted, isTrusted))
        }
    }

    @Test func `one object may be used from many threads`() async throws {
        let trust = try self.trust(leaf, intermediate, anchors: [root])
        let policies = [SecPolicyCreateBasicX509(), SecPolicyCreateSSL(true, "www.example.com" as CFString)]
        let trusted = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<32 {
                group.addTask {
                    if number.isMultiple(of: 3) { SecTrustSetPolicies(trust, policies[number % 2]) }
                    return SecTrustEvaluateWithError(trust, nil) && SecTrustGetCertificateCount(trust) == 3
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(trusted == 32)
    }

    @Test func `every anchor of the distribution can be read and has a key`() throws {
        let list = try String(contentsOfFile: "/etc/ssl/certs/ca-certificates.crt", encoding: .utf8)
        let texts = list.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst()
        #expect(!texts.isEmpty)
        for text in texts {
            let body = try #require(text.components(separatedBy: "-----END CERTIFICATE-----").first)
            let der = try #require(Data(base64Encoded: body, options: .ignoreUnknownCharacters))
            guard let certificate = SecCertificateCreateWithData(nil, der as CFData) else {
                Issue.record("not read: \(body)")
                continue
            }
            #expect(
                SecCertificateCopyKey(certificate) != nil,
                "\(SecCertificateCopySubjectSummary(certificate) as Any)"
            )
        }
    }
}
