import Crypto
import Foundation
import KeychainModel
import Testing

@testable import KeychainBackup

@Suite("The format of backups")
struct BackupFormatTests {
    private func accounts(_ records: [BackupRecord]) -> [AttributeValue?] {
        records.map { if case .item(let item) = $0 { item.attributes["acct"] } else { nil } }
    }

    @Test func `what goes in comes out, however the bytes arrive`() throws {
        let sample = try SampleBackup()
        for chunk in [1, 7, Int.max] {
            let records = try sample.read(chunk: chunk)
            #expect(accounts(records) == [.string("a"), .string("b"), nil])
            guard case .deviceItem(let box, let number) = records[2] else {
                Issue.record("the third is no item of one device")
                return
            }
            let device = DeviceBox(key: sample.deviceKey, backup: sample.backup)
            #expect(device.open(box, number: number)?.attributes["acct"] == .string("c"))
            #expect(device.open(box, number: number + 1) == nil)
            #expect(DeviceBox(key: sample.deviceKey, backup: ItemUUID()).open(box, number: number) == nil)
        }
    }

    @Test func `an item of many chunks, and one that ends where a chunk does, come out whole`() throws {
        // Of the item beside its value, and of the end.
        let around = BackupItemCodec.encode(.password("a", value: [])).count + 5
        let end = 4 + 1 + BackupCounts().encoded.count
        for chunks in [1, 3] {
            for shift in [-end - 1, -end, -end + 1, -1, 0, 1] {
                let value = [UInt8](repeating: 7, count: chunks * Chunk.size - around + shift)
                let sample = try SampleBackup([.password("a", value: value)], deviceItems: [])
                guard case .item(let item)? = try sample.read().first else {
                    Issue.record("no item")
                    return
                }
                #expect(item.secrets[.valueData]?.withUnsafeBytes { Array($0) } == value)
            }
        }
    }

    @Test func `passphrase and identity each open it, and no others do`() throws {
        let sample = try SampleBackup()
        let header = try BackupHeader(from: SampleBackup.source(sample.bytes))
        #expect(try header.fileKey(passphrase: typed(SampleBackup.passphrase)).key == sample.fileKey.key)
        #expect(try header.fileKey(identity: sample.identity).key == sample.fileKey.key)
        #expect(throws: BackupFailure.wrongPassphrase) { try header.fileKey(passphrase: typed("Correct horse")) }
        #expect(throws: BackupFailure.notForThisKey) { try header.fileKey(identity: BackupIdentity()) }
    }

    @Test func `a file is for keys of both kinds, and for as many as there may be`() throws {
        let old = try identity(.x25519)
        let others = try (0..<29).map { _ in try BackupIdentity() }
        let sample = try SampleBackup(recipients: [old.recipient] + others.map(\.recipient))
        let header = try BackupHeader(from: SampleBackup.source(sample.bytes))
        #expect(header.keys.count == BackupRecipient.most)
        for identity in [old, sample.identity] + others {
            #expect(try header.fileKey(identity: identity).key == sample.fileKey.key)
        }
        // A new key, and that of a passphrase, are what a quantum computer does not open.
        #expect(header.keys.map(\.recipient.scheme) == [.xWing, .xWing, .x25519] + others.map { _ in .xWing })
        #expect(throws: BackupFailure.notForThisKey) { try header.fileKey(identity: identity(.x25519)) }
    }

    @Test func `a passphrase is the same however its characters were typed`() throws {
        let recipient = try BackupRecipient(passphrase: typed("caf\u{E9}"), uncheckedCost: 10)
        #expect(try PassphraseStanza.open(recipient, with: typed("cafe\u{301}")) != nil)
    }

    @Test func `an empty passphrase, a very long one and one that is no text are refused`() {
        for bytes in [[], [UInt8](repeating: 0x61, count: 10_000), [0xFF]] {
            #expect(throws: KeychainError(.invalidParameter, "")) { try BackupPassphrase(SecretBytes(bytes)) }
        }
    }

    // MARK: - Bytes that are not as they were

    @Test func `a changed byte anywhere is damage, and never taken for anything else`() throws {
        let sample = try SampleBackup()
        for index in sample.bytes.indices {
            for bit: UInt8 in [0x01, 0x80] {
                var bytes = sample.bytes
                bytes[index] ^= bit
                let expected: BackupFailure = index < BackupHeader.magic.count ? .notABackup : .damaged
                #expect(sample.failure(bytes) == expected, "byte \(index)")
            }
        }
    }

    @Test func `a changed byte of the header is not taken for a wrong passphrase`() throws {
        let sample = try SampleBackup()
        for index in BackupHeader.magic.count..<sample.headerSize {
            var bytes = sample.bytes
            bytes[index] ^= 1
            #expect(throws: BackupFailure.damaged, "byte \(index)") {
                let header = try BackupHeader(from: SampleBackup.source(bytes))
                _ = try header.fileKey(passphrase: typed(SampleBackup.passphrase))
            }
        }
    }

    @Test func `a file that ends too early is cut short, wherever it ends`() throws {
        let sample = try SampleBackup()
        for count in 0..<sample.bytes.count {
            #expect(sample.failure(Array(sample.bytes.prefix(count))) == .truncated, "\(count) bytes")
        }
    }

    @Test func `bytes behind the end are damage`() throws {
        let sample = try SampleBackup()
        #expect(sample.failure(sample.bytes + [0]) == .damaged)
        #expect(sample.failure(sample.bytes + sample.bytes) == .damaged)
    }

    /// The whole chunks of a sample, after its header and before its last chunk.
    private func chunks(_ sample: SampleBackup) -> (header: [UInt8], chunks: [[UInt8]], rest: [UInt8]) {
        let size = Chunk.headerSize + Chunk.tagSize + Chunk.size + Chunk.tagSize
        var rest = sample.bytes.dropFirst(sample.headerSize)
        var chunks: [[UInt8]] = []
        while let (_, isLast) = Chunk.parse(header: rest.prefix(Chunk.headerSize)), !isLast {
            chunks.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return (Array(sample.bytes.prefix(sample.headerSize)), chunks, Array(rest))
    }

    @Test func `chunks that change places, come twice, are left out or come from another backup are damage`() throws {
        let long = BackupItem.password("a", value: [UInt8](repeating: 1, count: 3 * Chunk.size))
        let sample = try SampleBackup([long])
        let (header, chunks, rest) = chunks(sample)
        #expect(chunks.count == 3)
        func failure(_ order: [[UInt8]]) -> BackupFailure? { sample.failure(header + order.flatMap { $0 } + rest) }
        #expect(failure(chunks) == nil)
        #expect(failure([chunks[1], chunks[0], chunks[2]]) == .damaged)
        #expect(failure([chunks[0], chunks[0], chunks[1], chunks[2]]) == .damaged)
        #expect(failure([chunks[0], chunks[2]]) == .damaged)
        #expect(failure([]) == .damaged)
        let other = try SampleBackup([long])
        #expect(failure([chunks[0], self.chunks(other).chunks[1], chunks[2]]) == .damaged)
        // The end of another one, for the same key even, has other numbers and another signature.
        #expect(sample.failure(header + chunks.flatMap { $0 } + self.chunks(other).rest) == .damaged)
    }

    // MARK: - Files that were made to do harm

    @Test func `whoever knows a public key can make a backup for it, but not in another's name`() throws {
        let device = P256.Signing.PrivateKey()
        let forged = try SampleBackup(pretended: device.publicKey)
        #expect(forged.failure(forged.bytes) == .damaged)
        // In its own name it opens, and its header says whose it is.
        let stranger = try SampleBackup()
        #expect(stranger.failure(stranger.bytes) == nil)
        let header = try BackupHeader(from: SampleBackup.source(stranger.bytes))
        #expect(header.signer != Array(device.publicKey.x963Representation))
    }

    /// Writes a header anew that somebody changed who has no key: checksum and all, but for the code.
    private func reseal(_ bytes: [UInt8], size: Int, _ change: (inout [UInt8]) -> Void) -> [UInt8] {
        var header = Array(bytes.prefix(size - 64))
        change(&header)
        return header + SHA256.hash(data: header) + bytes[(size - 32)...]
    }

    @Test func `a header that was changed on purpose, checksum and all, is damage`() throws {
        let sample = try SampleBackup()
        let size = sample.headerSize
        // UUID, date, signer, and the recipient's stanza.
        for index in [21, 21 + 16, 21 + 24, 21 + 90] {
            let bytes = reseal(sample.bytes, size: size) { $0[index] ^= 1 }
            #expect(sample.failure(bytes) == .damaged)
        }
    }

    @Test(arguments: [0, 1, 9, 19, 30, 255] as [UInt8])
    func `a file cannot ask for any amount of work and memory`(cost: UInt8) throws {
        let passphrase = try BackupRecipient(passphrase: typed("x"), uncheckedCost: 10)
        var stanza = passphrase.stanza
        stanza[1] = cost
        let hostile = try #require(BackupRecipient(publicKey: passphrase.publicKey, stanza: stanza))
        #expect(throws: BackupFailure.damaged) { try PassphraseStanza.open(hostile, with: typed("x")) }
    }

    @Test func `a length that no item has takes no memory`() throws {
        // A body that begins with 4 GiB less a byte.
        let sample = try SampleBackup()
        let key = sample.fileKey.bodyKey(of: sample.backup)
        let chunk = try Chunk.seal([0xFF, 0xFF, 0xFF, 0xFF], number: 0, isLast: true, key: key)
        #expect(sample.failure(Array(sample.bytes.prefix(sample.headerSize)) + chunk) == .damaged)
    }

    @Test func `no recipient, too many and a key that is none are refused`() throws {
        func make(_ recipients: [BackupRecipient]) throws {
            _ = try BackupWriter(
                creationDate: 0,
                signer: Array(P256.Signing.PrivateKey().publicKey.x963Representation),
                recipients: recipients,
                to: { _ in }
            )
        }
        let zero = try #require(BackupRecipient(publicKey: [UInt8](repeating: 0, count: 32)))
        // It parses, and nothing can be sealed to it.
        let ones = try #require(BackupRecipient(publicKey: [UInt8](repeating: 0xff, count: 1_216)))
        #expect(BackupRecipient(publicKey: [UInt8](repeating: 1, count: 33)) == nil)
        for recipients in [[], [BackupRecipient](repeating: try BackupIdentity().recipient, count: 33), [zero], [ones]]
        {
            #expect(throws: BackupFailure.failed(KeychainError(.invalidParameter, ""))) { try make(recipients) }
        }
    }

    // MARK: - Keys as text

    private func identity(_ scheme: BackupScheme) throws -> BackupIdentity {
        try #require(BackupIdentity(SecretBytes((0..<32).map { _ in .random(in: 0...255) }), scheme))
    }

    @Test(arguments: BackupScheme.allCases) func `keys are read as they are written, and a mistyped one is noticed`(
        scheme: BackupScheme
    ) throws {
        let identity = try identity(scheme)
        #expect(identity.recipient.scheme == scheme)
        #expect(BackupRecipient(text: identity.recipient.text) == identity.recipient)
        #expect(BackupIdentity(text: identity.text)?.publicKey == identity.publicKey)
        let text = identity.recipient.text
        for index in text.utf8.indices.dropLast() {
            var bytes = Array(text.utf8)
            let offset = text.utf8.distance(from: text.utf8.startIndex, to: index)
            bytes[offset] = bytes[offset] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            #expect(BackupRecipient(text: String(decoding: bytes, as: UTF8.self)) == nil)
        }
        let other = text.replacing("recipient-2:", with: "recipient:").replacing("recipient:", with: "recipient-3:")
        for text in ["", "chatelaine-backup-recipient:", identity.text, text + "0", String(text.dropLast()), other] {
            #expect(BackupRecipient(text: text) == nil)
        }
        for text in ["", "#", identity.recipient.text] { #expect(BackupIdentity(text: text) == nil) }
    }

    // MARK: - Items

    @Test func `an item has one encoding, and the decoder takes no other`() {
        let item = BackupItem.password("a", ["labl": .data([1, 2])])
        let bytes = BackupItemCodec.encode(item)
        #expect(BackupItemCodec.decode(bytes).map(BackupItemCodec.encode) == bytes)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            if let other = BackupItemCodec.decode(changed) { #expect(BackupItemCodec.encode(other) == changed) }
        }
        for count in bytes.indices {
            if let other = BackupItemCodec.decode(bytes.prefix(count)) {
                #expect(BackupItemCodec.encode(other) == Array(bytes.prefix(count)))
            }
        }
    }
}
