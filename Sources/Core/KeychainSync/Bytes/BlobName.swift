/// What a blob of a circle is called. `docs/formats/sync.md` lists the names.
package enum BlobName: Hashable, Sendable {
    case entry(EntryHash)
    /// - Parameter prefix: the first four bytes of the segment's hash.
    case segment(JournalID, number: UInt64, prefix: UInt32)
    /// The newest head of a journal.
    case head(JournalID)
    /// A message of a ceremony, from 1 to 4.
    case join(SyncName, step: UInt8)

    package enum Kind: String, Sendable, CaseIterable {
        case entry
        case segment = "seg"
        case head
        case join
    }

    /// Of the segment at a place.
    package init(_ point: JournalPoint) {
        self = .segment(point.journal, number: point.number, prefix: point.hash.prefix)
    }

    package var kind: Kind {
        switch self {
        case .entry: .entry
        case .segment: .segment
        case .head: .head
        case .join: .join
        }
    }

    /// What comes before the last slash, and after it.
    package var parts: (folder: String, file: String) {
        let folder = kind.rawValue
        return switch self {
        case .entry(let hash): (folder, hash.text)
        case .segment(let journal, let number, let prefix):
            ("\(folder)/\(journal.text)", "\(number)-\(prefix.bigEndianBytes.hexadecimal)")
        case .head(let journal): (folder, journal.text)
        case .join(let ceremony, let step): ("\(folder)/\(ceremony.text)", String(step))
        }
    }

    package var text: String {
        let (folder, file) = parts
        return folder + "/" + file
    }

    /// - Returns: nil for what is no such name, also for another spelling of one.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, let kind = Kind(rawValue: String(first)) else { return nil }
        switch (kind, parts.count) {
        case (.entry, 2):
            guard let hash = SyncHash(text: parts[1]) else { return nil }
            self = .entry(hash)
        case (.segment, 3):
            let name = parts[2].split(separator: "-", omittingEmptySubsequences: false)
            guard let journal = SyncName(text: parts[1]), name.count == 2, let number = UInt64(name[0]),
                let prefix = [UInt8](hexadecimal: name[1]), prefix.count == 4
            else { return nil }
            self = .segment(journal, number: number, prefix: prefix.reduce(0) { $0 << 8 | UInt32($1) })
        case (.head, 2):
            guard let journal = SyncName(text: parts[1]) else { return nil }
            self = .head(journal)
        case (.join, 3):
            guard let ceremony = SyncName(text: parts[1]), let step = UInt8(parts[2]), (1...4).contains(step) else {
                return nil
            }
            self = .join(ceremony, step: step)
        default: return nil
        }
        // Signs and leading zeros.
        guard self.text == text else { return nil }
    }

    /// How long the blob can be.
    package var largest: Int {
        switch self {
        case .entry: Entry.largest
        case .segment: Segment.largest
        case .head: Head.largest
        case .join(_, let step):
            switch step {
            case 1: JoinRequest.largest
            case 2: JoinAnswer.largest
            case 3: JoinReveal.largest
            default: JoinConsent.largest
            }
        }
    }
}

extension SyncHash {
    /// - Returns: nil for anything but 64 lower-case digits.
    package init?(text: some StringProtocol) {
        guard let bytes = [UInt8](hexadecimal: text) else { return nil }
        self.init(bytes)
    }

    fileprivate var prefix: UInt32 { bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
}

extension SyncName {
    /// - Returns: nil for anything but 32 lower-case digits.
    package init?(text: some StringProtocol) {
        guard let bytes = [UInt8](hexadecimal: text) else { return nil }
        self.init(bytes)
    }
}

extension UInt32 {
    fileprivate var bigEndianBytes: [UInt8] { unsafe withUnsafeBytes(of: bigEndian) { unsafe Array($0) } }
}
