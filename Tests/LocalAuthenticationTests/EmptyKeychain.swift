import KeychainClient
import KeychainModel
import Testing

/// Gives each test a keychain in memory, without a passcode and with nobody who asks: never that of whoever runs the tests.
struct EmptyKeychain: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    @concurrent func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let keychain = EmbeddedKeychain(
            .memory,
            caller: Caller(name: "test", groups: AccessGroups(["test.default"])),
            pinentry: .none
        )
        try await CurrentKeychain.$override.withValue(keychain) { try await function() }
    }
}

extension Trait where Self == EmptyKeychain {
    static var withEmptyKeychain: Self { EmptyKeychain() }
}
