import KeychainModel

extension SecretBytes {
    /// A copy for a computation, which its allocator zeroes when it goes.
    var copied: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
