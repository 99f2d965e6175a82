import CKeychainLinux
import CredentialHelpers
import Glibc
import KeychainModel
import KeychainSystem

/// Standard input, read in pieces of which none is left in memory when it was handed on.
@safe
struct SecretInput: ~Copyable {
    private static let size = 1 << 16

    private let input: LentDescriptor
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    private var start = 0
    private var end = 0

    init(descriptor: Int32 = STDIN_FILENO) {
        input = LentDescriptor(descriptor)
    }

    deinit {
        if let address = unsafe buffer.baseAddress { unsafe clinux_zero(address, buffer.count) }
        unsafe buffer.deallocate()
    }

    /// All that comes, up to the end.
    ///
    /// - Throws: for more than so many bytes: nothing was done then.
    mutating func all(limit: Int) throws(HelperFailure) -> SecretBytes {
        try read(limit: limit) { _ in nil }
    }

    /// All lines up to a blank one, or the end. The blank line is taken.
    mutating func upToBlankLine(limit: Int) throws(HelperFailure) -> SecretBytes {
        var isAtStart = true
        return try read(limit: limit) { byte in
            defer { isAtStart = byte == UInt8(ascii: "\n") || (isAtStart && byte == UInt8(ascii: "\r")) }
            return isAtStart && byte == UInt8(ascii: "\n") ? true : nil
        }
    }

    /// One line, without its end.
    ///
    /// - Returns: nil at the end of the input.
    mutating func line(limit: Int) throws(HelperFailure) -> SecretBytes? {
        var count = 0
        let line = try read(limit: limit) { byte in
            count += 1
            return byte == UInt8(ascii: "\n") ? false : nil
        }
        return count == 0 ? nil : line
    }

    /// Reads until the closure says whether the byte that it was given, the last one, is a part of what is returned.
    private mutating func read(limit: Int, until isLast: (UInt8) -> Bool?) throws(HelperFailure) -> SecretBytes {
        var text = SecretText()
        var count = 0
        while true {
            if start == end {
                guard try fill() else { break }
            }
            var position = start
            var keepsLast: Bool?
            while position < end, keepsLast == nil {
                keepsLast = isLast(unsafe buffer[position])
                position += 1
            }
            let last = keepsLast == false ? position - 1 : position
            count += last - start
            guard count <= limit else { throw HelperFailure("the input is larger than a credential") }
            text += unsafe SecretBytes(buffer[start..<last])
            start = position
            if keepsLast != nil { break }
        }
        return text.joined()
    }

    private mutating func fill() throws(HelperFailure) -> Bool {
        do throws(SystemError) {
            end = try unsafe input.read(into: buffer)
        } catch {
            throw HelperFailure("standard input cannot be read: \(error.reason)")
        }
        start = 0
        return end > 0
    }
}
