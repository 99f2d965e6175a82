package import KeychainModel

/// One message on the wire: its length in bytes as four bytes, highest first, then the message itself.
package enum Frame {
    /// In bytes.
    package static let headerSize = 4

    /// What a client may send before it is admitted, and a server as well.
    package static let largestHandshake = 4 << 10
    /// An item's value of 16 MiB, and 8 MiB for its attributes.
    package static let largestRequest = 24 << 20
    /// The largest item that many requests can make: its value, as an object too, and each attribute of its class with
    /// 1 MiB.
    package static let largestResponse = 96 << 20

    /// A message with its length before it.
    ///
    /// - Throws: `dataTooLarge` over the limit.
    package static func frame(_ message: [UInt8], limit: Int) throws(KeychainError) -> [UInt8] {
        guard message.count <= limit, let length = UInt32(exactly: message.count) else {
            throw KeychainError(
                .dataTooLarge,
                "a message to or from the keychain service is larger than \(limit) bytes"
            )
        }
        var frame: [UInt8] = []
        frame.reserveCapacity(headerSize + message.count)
        for shift: UInt32 in [24, 16, 8, 0] { frame.append(UInt8(truncatingIfNeeded: length >> shift)) }
        frame.append(contentsOf: message)
        return frame
    }

    /// The length that a header announces.
    ///
    /// - Throws: `invalidParameter` over the limit, and for an empty message, which no version has.
    static func length(_ header: some Collection<UInt8>, limit: Int) throws(KeychainError) -> Int {
        let length = header.prefix(headerSize).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard length > 0, length <= limit else {
            throw KeychainError(.invalidParameter, "the protocol allows no frame of \(length) bytes")
        }
        return Int(length)
    }
}
