import KeychainModel
import Testing

/// What fuzzers found, each by the input that showed it, which is in `Fuzz/Corpus` too.
@Suite("What fuzzers found")
struct FuzzFindsTests {
    /// `access-control/unknown-flags`. A newer version's constraint would have been dropped, and the item given out
    /// without it.
    @Test func `a stored access control with a flag that is unknown is not read as one without it`() {
        let stored: [UInt8] = [1, 1, 0, 0, 0, 0x40, 0, 1, 0, 0]
        #expect(AccessControl(serialized: stored, accessibility: .whenUnlocked) == nil)
        var known = stored
        known[5] = 0
        known[7] = 0
        #expect(AccessControl(serialized: known, accessibility: .whenUnlocked)?.serialized == known)
    }
}
