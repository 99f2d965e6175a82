import Foundation

/// Random numbers that come again with the same seed (SplitMix64).
package struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    /// - Parameter name: the variable that may give the seed; it is printed, so that a failure can be repeated.
    package init(from name: String = "CHATELAINE_SEED", for test: String = #function) {
        let seed = ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) } ?? .random(in: 1...0xFFFF_FFFF)
        print("\(name)=\(seed) repeats \(test)")
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
