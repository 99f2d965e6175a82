package import KeychainSync

/// A blob of any kind, read and written again: for vectors.
package struct DecodedBlob {
    /// What is in it, as text.
    package private(set) var fields: [String: String] = [:]
    /// Its one encoding.
    package let encoded: [UInt8]

    /// - Throws: `SyncRefusal`.
    package init(kind: String, _ bytes: [UInt8]) throws {
        switch kind {
        case "card":
            var reader = try SyncReader(bytes, atMost: DeviceCard.size)
            let card = try DeviceCard(from: &reader)
            try reader.end()
            encoded = card.encoded
            fields = ["id": card.id.text, "kind": String(card.kind.rawValue)]
        case "entry":
            let entry = try Entry(bytes)
            encoded = entry.encoded
            fields = Self.fields(of: entry)
        case "segment":
            let segment = try Segment(bytes)
            encoded = segment.encoded
            fields = Self.fields(of: segment)
        case "contents":
            let contents = try Padding.contents(of: bytes)
            encoded = try Padding.padded(contents).withUnsafeBytes { Array($0) }
            fields = ["records": String(try Record.list(contents).count)]
        case "records":
            let records = try Record.list(bytes)
            encoded = Record.encode(records)
            fields = ["versions": records.map(\.version.hash.text).joined(separator: " ")]
        case "head":
            let head = try Head(bytes)
            encoded = head.encoded
            fields = Self.fields(of: head)
        default:
            (encoded, fields) = try Self.message(kind, bytes)
        }
    }

    private static func fields(of entry: Entry) -> [String: String] {
        var fields = [
            "hash": entry.hash.text, "circle": entry.circle.text, "author": entry.author.text,
            "parents": entry.parents.map(\.text).joined(separator: " "), "kind": String(entry.body.kind.rawValue),
        ]
        switch entry.body {
        case .found(let founding): fields["card"] = founding.card.id.text
        case .add(let addition):
            fields["card"] = addition.card.id.text
            fields["wraps"] = addition.wraps.map(\.epoch.text).joined(separator: " ")
        case .remove(let removal):
            fields["device"] = removal.device.text
            fields["points"] = text(removal.ends.map(\.point))
        case .end(let endings):
            fields["device"] = endings.map(\.device.text).joined(separator: " ")
            fields["points"] = text(endings.map(\.point))
        case .epoch(let epoch):
            fields["epoch"] = epoch.id.text
            fields["wraps"] = epoch.secrets.wraps.map(\.recipient.text).joined(separator: " ")
            fields["earlier"] = epoch.secrets.earlier.map(\.epoch.text).joined(separator: " ")
        case .floor(let number): fields["floor"] = String(number)
        case .merge: break
        }
        return fields
    }

    private static func fields(of segment: Segment) -> [String: String] {
        [
            "hash": segment.hash.text, "circle": segment.header.circle.text, "journal": segment.header.journal.text,
            "number": String(segment.header.number), "previous": segment.header.previous.text,
            "base": segment.header.base.map { "\($0.first)" } ?? "",
            "spine": segment.header.base?.spine.map(\.text).joined(separator: " ") ?? "",
            "boxes": segment.boxes.map { "\($0.tier.rawValue) \($0.epoch.text) \($0.sealed.bytes.count)" }
                .joined(separator: ", "),
        ]
    }

    private static func fields(of head: Head) -> [String: String] {
        let contents = head.contents
        return [
            "hash": head.hash.text, "circle": contents.circle.text, "device": contents.device.text,
            "journal": contents.journal.text, "counter": String(contents.counter), "tip": text([contents.tip]),
            "base": String(contents.base), "settled": String(contents.isSettled),
            "read": text(contents.read), "readAtBase": text(contents.readAtBase),
            "frontier": contents.frontier.map(\.text).joined(separator: " "), "epoch": contents.epoch.text,
            "stampFloor": String(contents.stampFloor), "digest": contents.digest.text, "clock": String(contents.clock),
        ]
    }

    private static func message(_ kind: String, _ bytes: [UInt8]) throws -> ([UInt8], [String: String]) {
        switch kind {
        case "request":
            let request = try JoinRequest(bytes)
            return (
                request.encoded,
                [
                    "ceremony": request.ceremony.text, "card": request.card.id.text,
                    "commitment": request.commitment.text,
                ]
            )
        case "answer":
            let answer = try JoinAnswer(bytes)
            let heads = answer.heads.map { "\($0.journal.text) \($0.counter) \($0.hash.text)" }
            return (
                answer.encoded,
                [
                    "ceremony": answer.ceremony.text, "circle": answer.circle.text, "card": answer.card.id.text,
                    "frontier": answer.frontier.map(\.text).joined(separator: " "), "nonce": answer.nonce.text,
                    "heads": heads.joined(separator: ", "),
                ]
            )
        case "reveal":
            let reveal = try JoinReveal(bytes)
            return (reveal.encoded, ["ceremony": reveal.ceremony.text, "nonce": reveal.nonce.text])
        case "consent":
            let consent = try JoinConsent(bytes)
            return (consent.encoded, ["ceremony": consent.ceremony.text])
        default: throw SyncRefusal.unknownKind(0)
        }
    }

    private static func text(_ points: [JournalPoint]) -> String {
        points.map { "\($0.journal.text) \($0.number) \($0.hash.text)" }.joined(separator: ", ")
    }
}

extension SyncRefusal {
    /// As vectors have it.
    package var name: String {
        switch self {
        case .unknownVersion: "unknownVersion"
        case .unknownKind: "unknownKind"
        default: "\(self)"
        }
    }
}
