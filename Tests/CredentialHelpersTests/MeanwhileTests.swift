import CredentialHelpers
import KeychainModel
import Synchronization
import Testing

/// A keychain in which another process does something before the first change that a helper makes.
private final class BusyKeychain: KeychainService {
    private let keychain: any KeychainService
    private let meanwhile: Mutex<(@Sendable () -> Void)?>

    init(_ keychain: any KeychainService, meanwhile: @escaping @Sendable () -> Void) {
        self.keychain = keychain
        self.meanwhile = Mutex(meanwhile)
    }

    private func beforeChange() {
        let body = meanwhile.withLock { body in
            defer { body = nil }
            return body
        }
        body?()
    }

    func perform(
        _ operation: KeychainOperation,
        onBehalfOf program: String?
    ) throws(KeychainError) -> OperationResult {
        if !operation.traits.isSearch { beforeChange() }
        return try keychain.perform(operation, onBehalfOf: program)
    }

    func performTogether(
        _ operations: [KeychainOperation],
        allOrNothing: Bool,
        onBehalfOf program: String?
    ) throws(KeychainError) -> [OperationOutcome] {
        beforeChange()
        return try keychain.performTogether(operations, allOrNothing: allOrNothing, onBehalfOf: program)
    }
}

/// What a helper has read may be another's work by the time it writes.
@Suite("Helpers at the same time") struct MeanwhileTests {
    private static let url = "https://registry.example"
    private static let server = "protocol=https\nhost=example.com\nusername=alice\n"

    private static func login(_ username: String, _ secret: String) -> SecretBytes {
        .init(#"{"ServerURL":"\#(url)","Username":"\#(username)","Secret":"\#(secret)"}"#.utf8)
    }

    /// The second log-in comes while the first is between reading and writing.
    @Test(arguments: [[], ["alice"], ["bob"], ["carol"]], ["alice", "bob"])
    func `of two log-ins one is left, with its own secret`(before: [String], second: String) throws {
        let keychain = emptyKeychain()
        for name in before { #expect(keychain.docker("store", Self.login(name, "old").plain).exitStatus == 0) }
        let busy = BusyKeychain(keychain) {
            _ = DockerHelper.answer("store", Self.login(second, second), from: keychain)
        }
        #expect(DockerHelper.answer("store", Self.login("alice", "alice"), from: busy).exitStatus == 0)
        let found = try keychain.items().map { item in
            guard case .string(let account) = item.attributes[.account] else { return "no account" }
            return account + ":" + (item.secrets[.valueData]?.plain ?? "")
        }
        // The one that was written last.
        #expect(found == ["alice:alice"])
    }

    @Test func `a log-in that is refused loses nothing`() throws {
        let keychain = emptyKeychain()
        #expect(keychain.docker("store", Self.login("bob", "old").plain).exitStatus == 0)
        // Another program's item has the new one's primary key.
        var request = AddRequest(itemClass: .internetPassword)
        request.attributes = try #require(keychain.items().first).attributes
        for key: AttributeKey in [.creationDate, .modificationDate, .kindText] { request.attributes[key] = nil }
        request.attributes[.account] = .string("alice")
        _ = try keychain.add(request)
        #expect(keychain.docker("store", Self.login("alice", "new").plain).exitStatus == 1)
        #expect(keychain.docker("get", Self.url).text.contains(#""Username":"bob","Secret":"old""#))
    }

    @Test func `git's refusal of a password does not erase one that was stored since`() throws {
        let keychain = emptyKeychain()
        #expect(keychain.git("store", Self.server + "password=old").exitStatus == 0)
        let refused = secret(Self.server + "password=old\n\n")
        let busy = BusyKeychain(keychain) { _ = keychain.git("store", Self.server + "password=new") }
        #expect(GitHelper.answer("erase", refused, from: busy).exitStatus == 0)
        #expect(keychain.git("get", Self.server).text.contains("password=new"))
        // The control.
        #expect(GitHelper.answer("erase", secret(Self.server + "password=new\n\n"), from: keychain).exitStatus == 0)
        #expect(keychain.git("get", Self.server).text.isEmpty)
    }
}
