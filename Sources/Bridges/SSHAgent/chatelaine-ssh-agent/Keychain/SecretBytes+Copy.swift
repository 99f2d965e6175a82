import KeychainModel

extension SecretBytes {
    /// A copy, which the allocator zeroes when it goes.
    var copied: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
