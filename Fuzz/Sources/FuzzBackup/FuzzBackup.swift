import Crypto
import Foundation
import FuzzSupport

@testable import KeychainBackup
@testable import KeychainModel

/// Backups, and what stands in them. The first byte of an input chooses: a file as it is, a header with the digests and the
/// code that it would have, chunks that are sealed first, or an item; and whether the header is of the first version.
///
/// What is wrong is told as one of the format's own failures; what is taken is written as it was read.
@main
enum FuzzBackup: FuzzTarget {
    private static let fileKey: FileKey = {
        guard let key = FileKey(SecretBytes([UInt8](repeating: 7, count: FileKey.size))) else {
            preconditionFailure("no file key")
        }
        return key
    }()
    private static let backup: ItemUUID = {
        guard let uuid = ItemUUID([UInt8](repeating: 1, count: 16)) else { preconditionFailure("no UUID") }
        return uuid
    }()
    private static let signer = P256.Signing.PrivateKey()
    private static let identity: BackupIdentity = {
        guard let identity = try? BackupIdentity() else { preconditionFailure("no identity") }
        return identity
    }()

    static func run(_ bytes: [UInt8]) throws {
        var input = ByteSource(bytes)
        let choice = input.byte()
        let contents = input.rest()
        switch choice % 4 {
        case 0: read(contents)
        case 1: read(headed(contents, version: choice & 4 == 0 ? BackupHeader.version : 1))
        case 2: read(chunked(contents))
        default:
            guard let item = BackupItemCodec.decode(contents) else { return }
            require(BackupItemCodec.encode(item) == contents, "an encoding that the decoder takes is the only one")
        }
    }

    private static func source(_ bytes: [UInt8]) -> BackupSource {
        var rest = bytes[...]
        return { count in
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
    }

    private static func read(_ bytes: [UInt8]) {
        do throws(BackupFailure) {
            var reader = try BackupReader(source(bytes), fileKey: fileKey)
            _ = try? reader.header.fileKey(identity: identity)
            while try reader.next() != nil {}
        } catch {
            if case .failed = error { require(false, "a file that is wrong is told as that") }
        }
    }

    /// A header's body with all that authenticates it.
    private static func headed(_ body: [UInt8], version: UInt8) -> [UInt8] {
        var bytes = BackupHeader.magic + [version]
        bytes.append(number: UInt32(truncatingIfNeeded: body.count))
        bytes += SHA256.hash(data: bytes).prefix(8)
        bytes += body
        bytes += SHA256.hash(data: bytes)
        let uuid = ItemUUID(body.prefix(16)) ?? backup
        return bytes + HMAC<SHA256>.authenticationCode(for: bytes, using: fileKey.headerKey(of: uuid))
    }

    private static let header: [UInt8] = {
        let header = try? BackupHeader(
            backup: backup,
            creationDate: 0,
            signer: Array(signer.publicKey.x963Representation),
            recipients: [identity.recipient],
            fileKey: fileKey
        )
        return header?.encoded ?? []
    }()

    /// Records in one chunk, signed.
    private static func chunked(_ records: [UInt8]) -> [UInt8] {
        let key = fileKey.bodyKey(of: backup)
        let chunk = try? Chunk.seal(records.prefix(Chunk.size), number: 0, isLast: true, key: key)
        let bytes = header + (chunk ?? [])
        let message = BackupSignature.message(digest: Array(SHA256.hash(data: bytes)))
        let signature = try? signer.signature(for: message).rawRepresentation
        return bytes + (signature.map { Array($0) } ?? [])
    }

    static func seeds() throws -> [String: [UInt8]] {
        var attributes = AttributeList()
        attributes["acct"] = .string("me")
        attributes["mdat"] = .date(1)
        let item = BackupItem(
            itemClass: .genericPassword,
            uuid: backup,
            accessGroup: "group",
            accessibility: .always,
            accessControl: AccessControl(bare: .always),
            isSynchronizable: false,
            attributes: attributes,
            secrets: [.valueData: SecretBytes([1, 2])]
        )
        let encoded = BackupItemCodec.encode(item)
        var records: [UInt8] = []
        records.append(number: UInt32(truncatingIfNeeded: encoded.count + 1))
        records += [1] + encoded
        var counts = BackupCounts()
        counts.items = 1
        records.append(number: UInt32(25))
        records += [0] + counts.encoded
        return [
            "file": [0] + chunked(records), "header": [1] + header.dropFirst(21).dropLast(64), "records": [2] + records,
            "item": [3] + encoded,
        ]
    }
}
