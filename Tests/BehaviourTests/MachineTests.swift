import KeychainTestSupport
import Testing

/// Counts what the parameters of the other tests leave out on this machine: an argument that is not there is no skip.
@Suite("What this machine allows")
struct MachineTests {
    @Test(.enabled(if: SystemMode.isPossible, "\(SystemMode.reason)"))
    func `every rule is tried with the machine's keychain service`() {
        #expect(Transport.allCases.contains(.system))
    }
}
