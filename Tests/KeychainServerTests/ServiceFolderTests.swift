import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainServer

struct ServiceFolderTests {
    @Test
    func `two services do not share a folder`() throws {
        let keychain = try TestKeychain()
        let first = try ServiceFolder(path: keychain.surroundings + "/data", mode: .system, credentials: nil)
        #expect(throws: KeychainError(.notAvailable, "")) {
            try ServiceFolder(path: keychain.surroundings + "/data", mode: .system, credentials: nil)
        }
        #expect(first.path == keychain.surroundings + "/data")
    }
}
