import Foundation
import Security
import Testing

@Suite
struct PolicyTests {
    private func properties(_ policy: SecPolicy?) throws -> [String: Any] {
        let policy = try #require(policy)
        return try #require(SecPolicyCopyProperties(policy) as? [String: Any])
    }

    @Test func `a policy says what it asks for`() throws {
        #expect(try properties(SecPolicyCreateBasicX509())["SecPolicyOid"] as? String == "1.2.840.113635.100.1.2")
        let server = try properties(SecPolicyCreateSSL(true, "www.example.com" as CFString))
        #expect(server["SecPolicyOid"] as? String == "1.2.840.113635.100.1.3")
        #expect(server["SecPolicyName"] as? String == "www.example.com")
        #expect(server["SecPolicyClient"] == nil)
        #expect(try properties(SecPolicyCreateSSL(false, nil))["SecPolicyClient"] as? Bool == true)
        let revocation = try properties(SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod))
        #expect(revocation["SecPolicyRevocationFlags"] as? UInt == 3)
    }

    @Test func `policies that ask for the same are equal`() throws {
        #expect(CFEqual(SecPolicyCreateSSL(true, "a" as CFString), SecPolicyCreateSSL(true, "a" as CFString)))
        #expect(!CFEqual(SecPolicyCreateSSL(true, "a" as CFString), SecPolicyCreateSSL(true, "b" as CFString)))
        #expect(!CFEqual(SecPolicyCreateSSL(true, nil), SecPolicyCreateSSL(false, nil)))
        #expect(!CFEqual(SecPolicyCreateSSL(true, nil), SecPolicyCreateBasicX509()))
        #expect(CFGetTypeID(SecPolicyCreateBasicX509()) == SecPolicyGetTypeID())
        #expect(SecPolicyGetTypeID() != SecTrustGetTypeID())
    }

    @Test func `a policy is made of an identifier and properties`() throws {
        let made = SecPolicyCreateWithProperties(
            kSecPolicyAppleSSL,
            [kSecPolicyName: "a.example", kSecPolicyClient: true] as [CFString: Any] as CFDictionary
        )
        #expect(made == SecPolicyCreateSSL(false, "a.example" as CFString))
        #expect(SecPolicyCreateWithProperties(kSecPolicyAppleX509Basic, nil) == SecPolicyCreateBasicX509())
        let flags = [kSecPolicyRevocationFlags: 1] as [CFString: Any] as CFDictionary
        #expect(SecPolicyCreateWithProperties(kSecPolicyAppleRevocation, flags) == SecPolicyCreateRevocation(1))
    }

    @Test func `what is no policy makes none`() {
        #expect(SecPolicyCreateWithProperties("1.2.3" as NSString, nil) == nil)
        #expect(SecPolicyCreateWithProperties(NSNumber(value: 1), nil) == nil)
        #expect(SecPolicyCreateWithProperties(kSecPolicyAppleRevocation, nil) == nil)
        #expect(SecPolicyCreateRevocation(0) == nil)
        #expect(SecPolicyCreateRevocation(1 << 20) == nil)
        for wrong: [CFString: Any] in [
            [kSecPolicyName: 1], [kSecPolicyClient: 1], [kSecPolicyClient: "true"], [kSecPolicyRevocationFlags: true],
            [kSecPolicyName: Data()],
        ] {
            #expect(SecPolicyCreateWithProperties(kSecPolicyAppleSSL, wrong as CFDictionary) == nil, "\(wrong)")
        }
    }
}
