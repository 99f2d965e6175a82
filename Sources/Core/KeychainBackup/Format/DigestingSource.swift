import Crypto
import KeychainModel

/// Takes bytes from a source, all that are asked for, and keeps the digest of all that were taken.
struct DigestingSource {
    private let source: BackupSource
    private var hash = SHA256()

    init(_ source: @escaping BackupSource) {
        self.source = source
    }

    /// - Throws: `truncated` where the source ends before.
    mutating func take(_ count: Int, digesting: Bool = true) throws(BackupFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let wanted = min(count - bytes.count, 1 << 16)
            let more = try BackupFailure.translating { () throws(KeychainError) in try source(wanted) }
            guard !more.isEmpty else { throw .truncated }
            guard more.count <= wanted else {
                throw .failed(KeychainError(.internalError, "a source gives more than it was asked for"))
            }
            bytes += more
        }
        if digesting { hash.update(data: bytes) }
        return bytes
    }

    /// Whether nothing follows.
    func isAtEnd() throws(BackupFailure) -> Bool {
        try BackupFailure.translating { () throws(KeychainError) in try source(1).isEmpty }
    }

    var digest: [UInt8] { Array(hash.finalize()) }
}
