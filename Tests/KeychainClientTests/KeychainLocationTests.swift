import Foundation
import KeychainClient
import KeychainModel
import Testing

@Suite("Which keychain")
struct KeychainLocationTests {
    @Test
    func `a folder is taken as it is, and a relative one from the current folder`() throws {
        #expect(try KeychainLocation("embedded:/tmp/a b") == .embedded(directory: "/tmp/a b"))
        let current = FileManager.default.currentDirectoryPath
        #expect(try KeychainLocation("embedded:keys") == .embedded(directory: current + "/keys"))
    }

    @Test
    func `a keychain in memory is asked for by name`() throws {
        #expect(try KeychainLocation("memory:") == .memory)
    }

    @Test(arguments: ["", "embedded", "embedded:", "memory", "unix:", "file:/tmp/x", " memory:"])
    func `a value that names no keychain is refused, and never means the person's own`(text: String) {
        #expect(throws: KeychainError(.notAvailable, "")) {
            try KeychainLocation(text)
        }
    }
}
