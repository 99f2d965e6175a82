import KeychainModel

/// Reads a backup from its beginning to its end, record by record.
///
/// What it gives out is as it was sealed, but only once it has given nil is it sure that nothing is missing and that the
/// signature is the header's signer's: until then nothing may be done with it that cannot be undone.
package struct BackupReader {
    package let header: BackupHeader
    private var source: DigestingSource
    private var chunks: ChunkReader
    private var recordNumber: UInt64 = 0
    private var seen = BackupCounts()
    /// What the backup says of itself, once it has been read to its end.
    package private(set) var counts: BackupCounts?

    /// Reads the header.
    ///
    /// - Throws: what is wrong with it; `damaged` where it is not the file key's.
    package init(_ source: @escaping BackupSource, fileKey: FileKey) throws(BackupFailure) {
        try self.init(source) { (_) throws(BackupFailure) in fileKey }
    }

    /// Reads the header, and asks for the file key with what it says.
    package init(
        _ source: @escaping BackupSource,
        opening: (BackupHeader) throws(BackupFailure) -> FileKey
    ) throws(BackupFailure) {
        var source = DigestingSource(source)
        header = try BackupHeader(&source)
        let key = try opening(header)
        try header.check(under: key)
        self.source = source
        chunks = ChunkReader(key: key.bodyKey(of: header.backup))
    }

    /// The next record; nil at the end, once the signature has been verified.
    ///
    /// - Throws: `truncated`, `damaged`.
    package mutating func next() throws(BackupFailure) -> BackupRecord? {
        guard counts == nil else { return nil }
        let length = Int(try chunks.take(4, from: &source).bigEndian)
        guard length > 0, length <= BackupRecord.largest else { throw .damaged }
        let bytes = try chunks.take(length, from: &source)
        defer { recordNumber += 1 }
        switch BackupRecord.Kind(rawValue: bytes[0]) {
        case .item:
            guard let item = BackupItemCodec.decode(bytes.dropFirst()) else { throw .damaged }
            seen.items += 1
            return .item(item)
        case .deviceItem:
            seen.deviceItems += 1
            return .deviceItem(box: Array(bytes.dropFirst()), number: recordNumber)
        case .end:
            try end(bytes.dropFirst())
            return nil
        case nil: throw .damaged
        }
    }

    private mutating func end(_ bytes: ArraySlice<UInt8>) throws(BackupFailure) {
        guard let said = BackupCounts(encoded: bytes), said.items == seen.items,
            said.deviceItems == seen.deviceItems, try chunks.isAtEnd(&source)
        else { throw .damaged }
        let digest = source.digest
        let signature = try source.take(BackupSignature.size, digesting: false)
        guard BackupSignature.isValid(signature, digest: digest, signer: header.signer), try source.isAtEnd() else {
            throw .damaged
        }
        counts = said
    }
}
