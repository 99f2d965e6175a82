import CKeychainLinux
import Foundation
import KeychainModel

extension SecretBytes {
    /// Lends the bytes as an array, for parsers that take nothing else. It is zeroed afterwards, unless the body has kept a
    /// part of it.
    func withArray<Result, Failure: Error>(_ body: ([UInt8]) throws(Failure) -> Result) throws(Failure) -> Result {
        var bytes = unsafe withUnsafeBytes { unsafe Array($0) }
        defer { bytes.zero() }
        return try body(bytes)
    }

    /// Takes what a cipher made, and zeroes it there.
    convenience init(moving data: inout Data) {
        unsafe self.init(count: data.count) { target in unsafe target.copyBytes(from: data) }
        unsafe data.withUnsafeMutableBytes { buffer in
            if let address = buffer.baseAddress { unsafe clinux_zero(address, buffer.count) }
        }
    }

    /// Takes an array, and zeroes it there.
    convenience init(moving bytes: inout [UInt8]) {
        self.init(bytes)
        bytes.zero()
    }
}

extension [UInt8] {
    /// Overwrites the bytes in place. The array must be the only holder of its buffer.
    mutating func zero() {
        unsafe withUnsafeMutableBytes { buffer in
            if let address = buffer.baseAddress { unsafe clinux_zero(address, buffer.count) }
        }
    }
}
