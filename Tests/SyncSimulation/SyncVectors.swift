/// Vectors of the formats of synchronization: blobs, what is in them, and changes of them with the refusal that each is to get.
package struct SyncVectors: Codable, Sendable {
    package struct Blob: Codable, Sendable {
        package let kind: String
        package let name: String
        package let bytes: String
        package let fields: [String: String]

        package init(kind: String, name: String, bytes: String, fields: [String: String]) {
            self.kind = kind
            self.name = name
            self.bytes = bytes
            self.fields = fields
        }
    }

    package struct Change: Codable, Sendable {
        /// The number of the blob.
        package var blob: Int
        /// How many bytes are left of it.
        package var length: Int?
        /// Where other bytes are.
        package var offset: Int?
        package var bytes: String?
        /// What is behind it.
        package var appended: String?
        /// How many zeros are behind it.
        package var zeros: Int?
        /// `valid`, or the refusal.
        package var result = "valid"

        package init(
            blob: Int,
            length: Int? = nil,
            offset: Int? = nil,
            bytes: String? = nil,
            appended: String? = nil,
            zeros: Int? = nil
        ) {
            self.blob = blob
            self.length = length
            self.offset = offset
            self.bytes = bytes
            self.appended = appended
            self.zeros = zeros
        }

        package func applied(to bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            if let length { bytes = Array(bytes.prefix(length)) }
            if let offset, let new = self.bytes.map(SyncVectors.bytes) {
                bytes.replaceSubrange(offset..<(offset + new.count), with: new)
            }
            if let appended { bytes += SyncVectors.bytes(appended) }
            if let zeros { bytes += [UInt8](repeating: 0, count: zeros) }
            return bytes
        }
    }

    package var version = 1
    /// Of the epoch under which the contents of segments are sealed.
    package let secret: String
    package let blobs: [Blob]
    package let changes: [Change]

    package init(secret: String, blobs: [Blob], changes: [Change]) {
        self.secret = secret
        self.blobs = blobs
        self.changes = changes
    }

    package static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }
}
