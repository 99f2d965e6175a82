import CKeychainLinux
import Foundation
import KeychainModel
import SwiftASN1

extension SecretBytes {
    /// Takes the bytes of a buffer that swift-crypto filled, and zeroes the buffer.
    convenience init(movingBytesOf data: inout Data) {
        unsafe self.init(count: data.count) { target in unsafe target.copyBytes(from: data) }
        unsafe data.withUnsafeMutableBytes { buffer in
            if let address = buffer.baseAddress { unsafe clinux_zero(address, buffer.count) }
        }
    }

    /// Takes the bytes of an array, and zeroes it. The array must be the only holder of its buffer.
    convenience init(movingBytesOf bytes: inout [UInt8]) {
        self.init(bytes)
        bytes.zero()
    }

    /// Secrets one after the other, between bytes that everybody may know.
    convenience init(_ prefix: [UInt8], _ secret: SecretBytes, _ suffix: [UInt8] = []) {
        unsafe self.init(count: prefix.count + secret.count + suffix.count) { target in
            unsafe target.copyBytes(from: prefix)
            unsafe secret.withUnsafeBytes { bytes in
                let place = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: target[prefix.count..<prefix.count + bytes.count]
                )
                unsafe place.copyBytes(from: bytes)
            }
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[(prefix.count + secret.count)...])
            unsafe rest.copyBytes(from: suffix)
        }
    }

    /// Lends the bytes as an array, which is zeroed afterwards if nothing holds a part of it any more. What the body returns
    /// must be copies.
    func withTransientArray<Result>(_ body: ([UInt8]) throws -> Result) rethrows -> Result {
        var bytes = unsafe withUnsafeBytes { unsafe Array($0) }
        defer { bytes.zero() }
        return try body(bytes)
    }

    /// Lends DER, which has to be all of one node.
    func withNode<Result>(_ body: (ASN1Node) throws -> Result) throws -> Result {
        try withTransientArray { bytes in try body(DER.parse(bytes)) }
    }

    /// A part of the bytes, in an object of its own.
    ///
    /// - Parameter range: inside the bytes.
    func part(_ range: Range<Int>) -> SecretBytes {
        unsafe withUnsafeBytes { bytes in
            unsafe SecretBytes(count: range.count) { target in
                unsafe target.copyBytes(from: bytes[range])
            }
        }
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
