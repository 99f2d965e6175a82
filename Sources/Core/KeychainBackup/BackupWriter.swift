import Crypto
package import KeychainModel

/// Writes a backup as it goes along: never more than a chunk and an item are in memory.
package struct BackupWriter {
    package let backup: ItemUUID
    private let sink: BackupSink
    private let bodyKey: SymmetricKey
    private var hash = SHA256()
    private var buffer: [UInt8] = []
    private var chunkNumber: UInt64 = 0
    private var recordNumber: UInt64 = 0
    private var counts = BackupCounts()

    /// Begins a backup.
    ///
    /// - Parameters:
    ///   - creationDate: in seconds since 2001-01-01.
    ///   - signer: the public key of what will sign it.
    package init(
        creationDate: Double,
        signer: [UInt8],
        recipients: [BackupRecipient],
        to sink: @escaping BackupSink
    ) throws(BackupFailure) {
        try self.init(
            uncheckedBackup: ItemUUID(),
            fileKey: FileKey(),
            creationDate: creationDate,
            signer: signer,
            recipients: recipients,
            to: sink
        )
    }

    /// Unchecked, since a UUID or a file key that is used twice repeats nonces: golden files need known ones.
    package init(
        uncheckedBackup backup: ItemUUID,
        fileKey: FileKey,
        creationDate: Double,
        signer: [UInt8],
        recipients: [BackupRecipient],
        to sink: @escaping BackupSink
    ) throws(BackupFailure) {
        self.backup = backup
        self.sink = sink
        bodyKey = fileKey.bodyKey(of: backup)
        let header = try BackupHeader(
            backup: backup,
            creationDate: creationDate,
            signer: signer,
            recipients: recipients,
            fileKey: fileKey
        )
        try write(header.encoded)
    }

    package mutating func append(_ item: BackupItem) throws(BackupFailure) {
        try append(.item, BackupItemCodec.encode(item))
        counts.items += 1
    }

    package mutating func append(_ item: BackupItem, in box: DeviceBox) throws(BackupFailure) {
        try append(.deviceItem, try box.seal(item, number: recordNumber))
        counts.deviceItems += 1
    }

    /// Notes that a row was damaged.
    package mutating func skipDamaged() {
        counts.damaged += 1
    }

    /// Writes the end.
    ///
    /// - Parameter sign: gets the digest of all before, and signs it as `BackupSignature` says.
    package mutating func finish(
        sign: (_ digest: [UInt8]) throws(KeychainError) -> [UInt8]
    ) throws(BackupFailure) -> BackupCounts {
        try append(.end, counts.encoded)
        try flush(isLast: true)
        let digest = Array(hash.finalize())
        let signature = try BackupFailure.translating { () throws(KeychainError) in try sign(digest) }
        guard signature.count == BackupSignature.size else {
            throw .failed(KeychainError(.internalError, "a signature of another length"))
        }
        try BackupFailure.translating { () throws(KeychainError) in try sink(signature) }
        return counts
    }

    private mutating func append(_ kind: BackupRecord.Kind, _ bytes: [UInt8]) throws(BackupFailure) {
        guard bytes.count < BackupRecord.largest else {
            throw .failed(KeychainError(.dataTooLarge, "an item is too large for a backup"))
        }
        buffer.append(number: UInt32(truncatingIfNeeded: bytes.count + 1))
        buffer.append(kind.rawValue)
        buffer += bytes
        recordNumber += 1
        // The last chunk is written by `finish`, and may be a whole one.
        if buffer.count > Chunk.size { try flush(isLast: false) }
    }

    private mutating func flush(isLast: Bool) throws(BackupFailure) {
        var rest = buffer[...]
        while rest.count > Chunk.size {
            try seal(rest.prefix(Chunk.size), isLast: false)
            rest = rest.dropFirst(Chunk.size)
        }
        if isLast {
            try seal(rest, isLast: true)
            rest = []
        }
        buffer = Array(rest)
    }

    private mutating func seal(_ contents: ArraySlice<UInt8>, isLast: Bool) throws(BackupFailure) {
        let chunk: [UInt8]
        do {
            chunk = try Chunk.seal(contents, number: chunkNumber, isLast: isLast, key: bodyKey)
        } catch {
            throw .failed(KeychainError(.internalError, "the cipher failed"))
        }
        chunkNumber += 1
        try write(chunk)
    }

    private mutating func write(_ bytes: [UInt8]) throws(BackupFailure) {
        hash.update(data: bytes)
        let sink = sink
        try BackupFailure.translating { () throws(KeychainError) in try sink(bytes) }
    }
}
