import Crypto
import Foundation
import FuzzSupport

@testable import KeychainModel
@testable import KeychainSync

/// A device whose keys the fuzzer knows: libFuzzer cannot guess a signature.
struct ScriptDevice {
    let card: DeviceCard
    private let signing: P256.Signing.PrivateKey

    init(_ number: UInt8) throws {
        let secret = Data(repeating: number, count: 32)
        signing = try P256.Signing.PrivateKey(rawRepresentation: secret)
        let sealing = try XWingMLKEM768X25519.PrivateKey(seedRepresentation: secret, publicKey: nil)
        card = try DeviceCard(
            kind: .device,
            signingKey: Array(signing.publicKey.x963Representation),
            sealingKey: Array(sealing.publicKey.rawRepresentation)
        )
    }

    func sign(_ statement: SyncStatement) -> [UInt8] {
        (try? signing.signature(for: statement.digest.bytes).rawRepresentation).map { Array($0) } ?? []
    }
}

/// Entries of any authors, kinds and parents, rightly signed, in any order.
///
/// The same entries give the same members, ends and epochs in every order.
@main
enum FuzzSyncCircle: FuzzTarget {
    private static let devices = (1...5).compactMap { try? ScriptDevice($0) }
    private static let founding: Entry = {
        let card = devices[0].card
        let body = EntryBody.found(Founding(card: card, nameKey: .zero))
        return Entry(circle: .zero, parents: [], author: card.id, body: body, sign: devices[0].sign)
    }()

    static func run(_ bytes: [UInt8]) throws {
        var input = ByteSource(bytes)
        var entries = [founding]
        while !input.isAtEnd, entries.count < 24 { entries.append(entry(&input, after: entries)) }
        let first = try circle(entries.dropFirst())
        let second = try circle(entries.dropFirst().reversed())
        require(first.entries.count == second.entries.count, "the order of arrival does not decide what is valid")
        let (one, other) = (first.state, second.state)
        require(
            Set(one.members.keys) == Set(other.members.keys),
            "the order of arrival does not decide who is a member"
        )
        require(one.removed == other.removed, "the order of arrival does not decide who was removed")
        require(one.endings == other.endings, "the order of arrival does not decide how far journals count")
        require(one.floor == other.floor, "the order of arrival does not decide the floor")
        require(one.epochs == other.epochs, "the order of arrival does not decide who has an epoch's secret")
        require(one.goodEpochs.map(\.id) == other.goodEpochs.map(\.id), "the order of arrival does not decide epochs")
        require(one.members.keys.allSatisfy { !one.removed.contains($0) }, "who was removed is no member")
        for epoch in one.goodEpochs {
            require(epoch.holders.isDisjoint(with: one.removed), "no removed device has a good epoch's secret")
        }
    }

    private static func circle(_ entries: some Sequence<Entry>) throws -> Circle {
        var circle = try Circle(founding: founding)
        _ = circle.insert(Array(entries))
        return circle
    }

    private static func entry(_ input: inout ByteSource, after entries: [Entry]) -> Entry {
        let author = input.choice(of: devices)
        let other = input.choice(of: devices)
        var parents: Set<EntryHash> = []
        for _ in 0...(input.byte() & 1) { parents.insert(input.choice(of: entries).hash) }
        let ends = SyncName([UInt8](repeating: input.byte() & 3, count: SyncName.size)).map {
            [Ending(of: other.card.id, salt: $0, at: UInt64(input.byte() & 7) + 1, SyncHash(of: [input.byte() & 1]))]
        }
        let body: EntryBody
        var consent: [UInt8]?
        switch input.byte() % 6 {
        case 0:
            body = .add(Addition(card: other.card, wraps: wraps(&input, for: [other])))
            consent = other.sign(Addition.consent(of: other.card, to: founding.hash))
        case 1: body = .remove(Removal(of: other.card.id, ends: ends ?? []))
        case 2: body = .end(ends ?? [])
        case 3: body = .floor(UInt16(input.byte() & 7))
        case 5: body = .merge
        default: body = .epoch(epoch(&input))
        }
        return Entry(
            circle: founding.hash,
            parents: Array(parents),
            author: author.card.id,
            body: body,
            consent: consent,
            sign: author.sign
        )
    }

    private static func id(_ number: UInt8) -> EpochID { SyncHash(of: [number & 7]) }

    private static func wraps(_ input: inout ByteSource, for devices: [ScriptDevice], _ epoch: EpochID? = nil)
        -> [EpochWrap]
    {
        let key = SealedKey(encapsulation: [UInt8](repeating: 0, count: 1_120), box: [UInt8](repeating: 0, count: 48))
        return devices.map { EpochWrap(epoch: epoch ?? id(input.byte()), recipient: $0.card.id, key: key) }
    }

    private static func epoch(_ input: inout ByteSource) -> EpochDescription {
        let epoch = id(input.byte())
        let choice = input.byte()
        let recipients = devices.enumerated().filter { choice >> UInt8($0.offset) & 1 == 1 }.map(\.element)
        let box = SealedBox([UInt8](repeating: 0, count: SealedBox.sizeOfKey))
        let earlier = id(input.byte())
        guard let box else { fatalError("a box has this size") }
        let boxes = earlier == epoch ? [] : [EarlierEpoch(epoch: earlier, box: box)]
        return EpochDescription(
            id: epoch,
            secrets: EpochSecrets(wraps: wraps(&input, for: recipients, epoch), earlier: boxes),
            nameKey: box
        )
    }

    static func seeds() throws -> [String: [UInt8]] {
        // Two join, one is removed, an epoch begins.
        let script: [[UInt8]] = [
            [0, 1, 0, 0, 0, 0, 0, 0, 0], [1, 2, 0, 1, 0, 0, 0, 0, 0], [0, 1, 0, 1, 0, 0, 0, 1],
            [2, 0, 0, 2, 0, 0, 0, 4, 1, 5, 0], [1, 3, 0, 1, 0, 0, 0, 0, 0],
        ]
        return ["members": script.flatMap(\.self)]
    }
}
