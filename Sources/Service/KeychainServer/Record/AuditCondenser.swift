import Glibc

/// Makes the oldest files of a record smaller: the source with most lines in them loses its oldest ones, and no other
/// loses any.
///
/// So no program can push out what others did, however much it does. A line says how many are not there any more.
struct AuditCondenser {
    /// Programs that count as one. Installed programs are told apart: only an administrator makes more of them. All
    /// others are one, since any user can make new ones; so are refused connections. What an owner has done with the
    /// keychain as a whole is told apart from the rest, for every caller, unless it was refused: any program can ask in
    /// vain.
    private struct Party: Hashable {
        let caller: [UInt8]
        let kind: [UInt8]
        let isOwners: Bool
    }

    private struct Line {
        let bytes: ArraySlice<UInt8>
        let party: Int
    }

    /// Lines of a party that are left out.
    private struct Omission {
        var count = 0
        /// The latest of them.
        var last = 0
    }

    /// In session mode, whose teams' programs the user trusts.
    let tellsSignedApart: Bool

    static let omitted = "omitted"
    static let omittedOfOwner = "omitted-backups"
    /// Operations of the owner's, by the names that they have in the record.
    private static let ofOwner: Set<String> = [
        "backup", "export", "restore", "restore-dry-run", "rotate-keys", omittedOfOwner,
        // Of the circle, what the owner has allowed, and who came into it or left it.
        "sync-create", "sync-join", "sync-add", "sync-add-recovery-key", "sync-remove", "sync-leave", "sync-place",
        "sync-rename", "sync-accept-older", "earlier-versions", "bring-back", "discard", "sync-device-added",
        "sync-device-removed",
    ]
    /// No less than a line about omitted ones takes.
    private static let roomForOmission = 512

    /// - Parameters:
    ///   - record: lines, the oldest first.
    ///   - most: how many bytes may be left.
    func condense(_ record: [UInt8], to most: Int) -> [UInt8] {
        guard record.count > most else { return record }
        var numbers: [Party: Int] = [:]
        var parties: [Party] = []
        var sizes: [Int] = []
        var lines: [Line] = []
        for bytes in Self.lines(of: record) {
            let party = party(of: bytes)
            let number = numbers[party] ?? parties.count
            if number == parties.count {
                numbers[party] = number
                parties.append(party)
                sizes.append(0)
            }
            sizes[number] += bytes.count
            lines.append(Line(bytes: bytes, party: number))
        }
        let share = Self.share(of: max(0, most - parties.count * Self.roomForOmission), among: sizes)
        var omissions = [Omission](repeating: Omission(), count: parties.count)
        for (index, line) in lines.enumerated() where sizes[line.party] > share {
            sizes[line.party] -= line.bytes.count
            omissions[line.party].count += Self.count(of: line.bytes)
            omissions[line.party].last = index
        }
        return text(of: lines, without: omissions, most)
    }

    /// The greatest size that all parties can have of so many bytes, where those that need less leave the rest to the
    /// others.
    private static func share(of most: Int, among sizes: [Int]) -> Int {
        var (rest, parties) = (most, sizes.count)
        for size in sizes.sorted() {
            guard size <= rest / parties else { return rest / parties }
            rest -= size
            parties -= 1
        }
        return .max
    }

    private func text(of lines: [Line], without omissions: [Omission], _ most: Int) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(most)
        for (index, line) in lines.enumerated() {
            let omission = omissions[line.party]
            guard omission.count > 0, index <= omission.last else {
                text += line.bytes
                continue
            }
            if index == omission.last { text += Self.line(about: omission.count, like: line.bytes) }
        }
        // With thousands of parties not even those lines have room: then the oldest go.
        guard text.count > most else { return text }
        let rest = text.suffix(most)
        return Array(rest.drop { $0 != UInt8(ascii: "\n") }.dropFirst())
    }

    // MARK: - Lines

    private static func lines(of text: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        while start < text.count {
            let end = Self.end(ofLineAt: start, in: text)
            lines.append(text[start..<end])
            start = end
        }
        return lines
    }

    private static func end(ofLineAt start: Int, in text: [UInt8]) -> Int {
        unsafe text.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress,
                let found = unsafe memchr(base + start, 0x0A, bytes.count - start)
            else { return bytes.count }
            return unsafe UnsafeRawPointer(found) - base + 1
        }
    }

    private func party(of line: ArraySlice<UInt8>) -> Party {
        let kind = Self.value(of: "kind", in: line).map(Array.init) ?? []
        let isTold = kind == Array("installed".utf8) || tellsSignedApart && kind == Array("signed".utf8)
        let caller = isTold ? Self.value(of: "caller", in: line).map(Array.init) ?? [] : []
        // All but a refusal is of some program.
        return Party(
            caller: caller,
            kind: isTold || kind.isEmpty ? kind : Array("unsigned".utf8),
            isOwners: Self.isOwners(line)
        )
    }

    private static func isOwners(_ line: ArraySlice<UInt8>) -> Bool {
        func text(_ key: String) -> String {
            value(of: key, in: line).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        return ofOwner.contains(text("operation")) && text("outcome") == "ok"
    }

    private static func count(of line: ArraySlice<UInt8>) -> Int {
        guard let operation = value(of: "operation", in: line),
            operation.elementsEqual(omitted.utf8) || operation.elementsEqual(omittedOfOwner.utf8),
            let digits = after(",\"count\":", in: line)?.prefix(while: { (0x30...0x39).contains($0) }),
            let count = Int(String(decoding: digits, as: UTF8.self))
        else { return 1 }
        return count
    }

    /// The line that stands for omitted ones, at the place of the latest of them.
    private static func line(about count: Int, like line: ArraySlice<UInt8>) -> [UInt8] {
        func text(_ key: String) -> String {
            value(of: key, in: line).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        let uid = after(",\"uid\":", in: line)?.prefix { (0x30...0x39).contains($0) } ?? []
        var new = "{\"time\":\"\(text("time"))\",\"uid\":\(uid.isEmpty ? "0" : String(decoding: uid, as: UTF8.self))"
        new += ",\"caller\":\"\(text("caller"))\""
        if !text("kind").isEmpty { new += ",\"kind\":\"\(text("kind"))\"" }
        new +=
            ",\"operation\":\"\(isOwners(line) ? omittedOfOwner : omitted)\",\"outcome\":\"ok\",\"count\":\(count)}\n"
        return Array(new.utf8)
    }

    /// A text as it stands there. Quotes in other texts are escaped, so that none looks like a key.
    private static func value(of key: String, in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let rest = after("\"\(key)\":\"", in: line) else { return nil }
        var isEscaped = false
        for index in rest.indices {
            if isEscaped {
                isEscaped = false
            } else if rest[index] == UInt8(ascii: "\\") {
                isEscaped = true
            } else if rest[index] == UInt8(ascii: "\"") {
                return rest[..<index]
            }
        }
        return nil
    }

    private static func after(_ text: String, in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let key = Array(text.utf8)
        let offset = unsafe line.withUnsafeBytes { bytes -> Int? in
            guard let base = bytes.baseAddress, let first = key.first else { return nil }
            var start = 0
            while start + key.count <= bytes.count,
                let found = unsafe memchr(base + start, Int32(first), bytes.count - key.count + 1 - start)
            {
                let offset = unsafe UnsafeRawPointer(found) - base
                if unsafe memcmp(found, key, key.count) == 0 { return offset }
                start = offset + 1
            }
            return nil
        }
        return offset.map { line[(line.startIndex + $0 + key.count)...] }
    }
}
