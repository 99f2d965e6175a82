import KeychainCodes
import KeychainModel

/// SplitMix64: the same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}

extension SecretBytes {
    var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension OneTimeCode {
    init(_ text: String) throws(CodeFailure) { try self.init(text: text.utf8) }

    var address: String { uri.text }

    /// All but the secret, to compare.
    var settings: String { "\(algorithm.rawValue) \(digits) \(period) \(issuer)|\(account)" }
}

/// The secret of most examples: "Hello!" and DE AD BE EF.
let example = "JBSWY3DPEHPK3PXP"
let exampleBytes: [UInt8] = Array("Hello!".utf8) + [0xDE, 0xAD, 0xBE, 0xEF]
