import Foundation
import KeychainEngine
import KeychainModel
import KeychainTestSupport
import Logging
import Testing

/// A service's device key can come from systemd instead of a file (systemd.exec(5), "CREDENTIALS").
@Suite("The device key as a credential")
struct CredentialTests {
    private let keychain: TestKeychain
    private let credentials: String
    private let caller = Caller(name: "test", groups: AccessGroups(["test.default"]))

    init() throws {
        keychain = try TestKeychain()
        credentials = keychain.surroundings + "/credentials"
        mkdir(credentials, 0o700)
    }

    private var credential: String { credentials + "/chatelaine.device-key" }

    private func open() throws(KeychainError) -> KeychainEngine {
        try KeychainDirectory(path: keychain.path, credentials: credentials).open(log: Logger(label: "test"))
    }

    private func add(_ account: String) throws(KeychainError) {
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes["acct"] = .string(account)
        _ = try open().keychain(of: caller).add(request)
    }

    private func newDeviceKey() -> [UInt8] {
        Array("CHdk".utf8) + [1, 0, 0, 0] + (0..<32).map { _ in .random(in: 0...255) }
    }

    @Test func `a keychain is made and opened under the credential, and no device key is written`() throws {
        try keychain.write(newDeviceKey(), to: credential)
        chmod(credential, 0o400)
        try add("alice")
        try add("bob")
        #expect(!FileManager.default.fileExists(atPath: keychain.deviceKey))
        try FileManager.default.removeItem(atPath: credential)
        #expect(failure { () throws(KeychainError) in try add("carol") } == .notAvailable)
    }

    @Test func `the credential comes before the file`() throws {
        try add("alice")
        #expect(FileManager.default.fileExists(atPath: keychain.deviceKey))
        try keychain.write(newDeviceKey(), to: credential)
        #expect(failure { () throws(KeychainError) in try add("bob") } == .notAvailable)
        try keychain.write(keychain.read(keychain.deviceKey), to: credential)
        try FileManager.default.removeItem(atPath: keychain.deviceKey)
        try add("bob")
    }

    @Test func `another credential than at the making opens nothing`() throws {
        try keychain.write(newDeviceKey(), to: credential)
        try add("alice")
        try keychain.write(newDeviceKey(), to: credential)
        #expect(failure { () throws(KeychainError) in try add("bob") } == .notAvailable)
    }

    @Test(arguments: [0o404, 0o460, 0o444, 0o410] as [mode_t])
    func `a credential that strangers may open is refused`(mode: mode_t) throws {
        try keychain.write(newDeviceKey(), to: credential)
        chmod(credential, mode)
        #expect(failure { () throws(KeychainError) in try add("alice") } == .notAvailable)
        // The access control list by which systemd lets the service read shows as the group's right.
        chmod(credential, 0o440)
        try add("alice")
    }

    @Test func `a credential that is a link or not a device key is refused`() throws {
        try keychain.write(newDeviceKey(), to: credential + "-elsewhere")
        symlink(credential + "-elsewhere", credential)
        #expect(failure { () throws(KeychainError) in try add("alice") } == .notAvailable)
        unlink(credential)
        try keychain.write([1, 2, 3], to: credential)
        #expect(failure { () throws(KeychainError) in try add("alice") } == .notAvailable)
    }
}
