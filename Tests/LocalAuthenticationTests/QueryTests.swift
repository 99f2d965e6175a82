import KeychainModel
import LocalAuthentication
import Testing

@testable import Security

@Suite("Authentication contexts in keychain queries")
struct QueryTests {
    /// How a search asks the person, with these keys beside its class.
    private func interface(_ keys: [CFString: Any]) throws -> AuthenticationUI {
        let query = keys.merging([kSecClass: kSecClassGenericPassword]) { $1 } as CFDictionary
        return try QueryParser.copy(DictionaryReader.entries(of: query)).authentication.ui
    }

    private func context(forbidsInteraction: Bool) -> LAContext {
        let context = LAContext()
        context.interactionNotAllowed = forbidsInteraction
        return context
    }

    @Test func `a context that must not interact makes a query that fails rather than ask`() throws {
        let silent = context(forbidsInteraction: true)
        let open = context(forbidsInteraction: false)
        #expect(try interface([kSecUseAuthenticationContext: silent]) == .fail)
        #expect(try interface([kSecUseAuthenticationContext: open]) == .allow)
        #expect(
            try interface([
                kSecUseAuthenticationContext: silent, kSecUseAuthenticationUI: kSecUseAuthenticationUIAllow,
            ]) == .fail
        )
        #expect(
            try interface([
                kSecUseAuthenticationContext: silent, kSecUseAuthenticationUI: kSecUseAuthenticationUISkip,
            ]) == .skip
        )
        #expect(
            try interface([
                kSecUseAuthenticationContext: open, kSecUseAuthenticationUI: kSecUseAuthenticationUIFail,
            ]) == .fail
        )
    }

    @Test func `what a subclass says counts`() throws {
        final class Silent: LAContext {
            override var interactionNotAllowed: Bool {
                get { true }
                set {}
            }
        }
        #expect(try interface([kSecUseAuthenticationContext: Silent()]) == .fail)
    }

    @Test func `anything but a context is refused`() throws {
        for wrong in [NSObject(), NSNull(), "context", 1, true, Data(), [LAContext()]] as [Any] {
            #expect(throws: KeychainError.self, "\(wrong)") { try interface([kSecUseAuthenticationContext: wrong]) }
        }
    }
}
