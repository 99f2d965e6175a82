import Foundation
import Security
import Testing

/// Functions that are there for programs to build, and that say that they do nothing yet.
@Suite("What says that it is not implemented")
struct NotYetTests {
    @Test
    func `the type identifiers of all classes differ`() {
        let identifiers = [
            SecKeyGetTypeID(), SecIdentityGetTypeID(), SecCertificateGetTypeID(), SecAccessControlGetTypeID(),
            SecPolicyGetTypeID(), SecTrustGetTypeID(),
        ]
        #expect(Set(identifiers).count == identifiers.count)
    }

    // MARK: - Shared passwords

    @available(*, deprecated)
    @Test
    func `the handlers of shared passwords get an error`() async {
        let added = await withCheckedContinuation { continuation in
            SecAddSharedWebCredential("example.com" as CFString, "alice" as CFString, nil) { error in
                continuation.resume(returning: error.map { OSStatus($0.code) })
            }
        }
        #expect(added == errSecUnimplemented)
        let requested = await withCheckedContinuation { continuation in
            SecRequestSharedWebCredential(nil, nil) { credentials, error in
                continuation.resume(returning: credentials == nil ? error.map { OSStatus($0.code) } : nil)
            }
        }
        #expect(requested == errSecUnimplemented)
    }

    @Test
    func `a made password is four groups of three characters of every kind, and another one each time`() throws {
        var passwords: Set<String> = []
        for _ in 0..<200 {
            let password = try #require(SecCreateSharedWebCredentialPassword() as String?)
            passwords.insert(password)
            let groups = password.split(separator: "-", omittingEmptySubsequences: false)
            #expect(groups.map(\.count) == [3, 3, 3, 3])
            let characters = groups.joined()
            #expect(characters.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) && !"IOlo01".contains($0) })
            #expect(characters.contains { $0.isUppercase })
            #expect(characters.contains { $0.isLowercase })
            #expect(characters.contains { $0.isNumber })
        }
        #expect(passwords.count == 200)
    }
}
