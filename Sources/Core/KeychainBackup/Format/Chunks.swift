import Crypto
import KeychainModel

/// The body of a backup: chunks of at most 64 KiB, each sealed with its number and whether it is the last.
///
/// Before each chunk stand its length and the mark of the last, sealed too: so that a changed length is damage, and only
/// a file that ends too early is cut short.
enum Chunk {
    static let size = 64 << 10
    static let tagSize = 16
    static let headerSize = 4
    private static let lastMark: UInt32 = 1 << 31

    /// What a nonce is for, so that no two messages have the same.
    private enum Part: UInt8 {
        case header = 1
        case contents = 2
    }

    static func header(count: Int, isLast: Bool) -> [UInt8] {
        var header: [UInt8] = []
        header.append(number: UInt32(truncatingIfNeeded: count) | (isLast ? lastMark : 0))
        return header
    }

    /// - Returns: nil for a length that no chunk has.
    static func parse(header: some Collection<UInt8>) -> (count: Int, isLast: Bool)? {
        let number = UInt32(truncatingIfNeeded: header.bigEndian)
        let count = Int(number & ~lastMark)
        let isLast = number & lastMark != 0
        guard isLast ? count <= size : count == size else { return nil }
        return (count, isLast)
    }

    static func seal(_ contents: some Collection<UInt8>, number: UInt64, isLast: Bool, key: SymmetricKey) throws
        -> [UInt8]
    {
        let header = header(count: contents.count, isLast: isLast)
        let mark = try AES.GCM.seal([UInt8](), using: key, nonce: nonce(.header, number), authenticating: header)
        let box = try AES.GCM.seal(
            Array(contents),
            using: key,
            nonce: nonce(.contents, number),
            authenticating: header
        )
        return header + mark.tag + box.ciphertext + box.tag
    }

    static func isHeader(_ header: [UInt8], tag: [UInt8], number: UInt64, key: SymmetricKey) -> Bool {
        guard let nonce = try? nonce(.header, number),
            let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: [UInt8](), tag: tag)
        else { return false }
        return (try? AES.GCM.open(box, using: key, authenticating: header)) != nil
    }

    static func open(
        _ ciphertext: some Collection<UInt8>,
        tag: some Collection<UInt8>,
        header: [UInt8],
        number: UInt64,
        key: SymmetricKey
    ) -> [UInt8]? {
        guard let nonce = try? nonce(.contents, number),
            let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: Array(ciphertext), tag: Array(tag)),
            let contents = try? AES.GCM.open(box, using: key, authenticating: header)
        else { return nil }
        return Array(contents)
    }

    private static func nonce(_ part: Part, _ number: UInt64) throws -> AES.GCM.Nonce {
        var bytes: [UInt8] = [part.rawValue, 0, 0, 0]
        bytes.append(number: number)
        return try AES.GCM.Nonce(data: bytes)
    }
}

/// Gives the contents of the chunks as one stream.
struct ChunkReader {
    private let key: SymmetricKey
    private var number: UInt64 = 0
    private var buffer: [UInt8] = []
    private var position = 0
    private var hadLast = false

    init(key: SymmetricKey) {
        self.key = key
    }

    /// Whether all of the contents have been taken.
    mutating func isAtEnd(_ source: inout DigestingSource) throws(BackupFailure) -> Bool {
        while position == buffer.count {
            if hadLast { return true }
            try fill(&source)
        }
        return false
    }

    /// - Throws: `damaged` where the last chunk ends before, or a chunk is not as it was sealed.
    mutating func take(_ count: Int, from source: inout DigestingSource) throws(BackupFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard try !isAtEnd(&source) else { throw .damaged }
            let end = min(buffer.count, position + count - bytes.count)
            bytes += buffer[position..<end]
            position = end
        }
        return bytes
    }

    private mutating func fill(_ source: inout DigestingSource) throws(BackupFailure) {
        let start = try source.take(Chunk.headerSize + Chunk.tagSize)
        let header = Array(start.prefix(Chunk.headerSize))
        guard
            Chunk.isHeader(header, tag: Array(start.dropFirst(Chunk.headerSize)), number: number, key: key),
            let (count, isLast) = Chunk.parse(header: header)
        else { throw .damaged }
        let sealed = try source.take(count + Chunk.tagSize)
        guard
            let contents = Chunk.open(
                sealed.prefix(count),
                tag: sealed.suffix(Chunk.tagSize),
                header: header,
                number: number,
                key: key
            )
        else { throw .damaged }
        buffer = contents
        position = 0
        number += 1
        hadLast = isLast
    }
}
