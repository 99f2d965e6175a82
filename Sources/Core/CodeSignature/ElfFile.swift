import Glibc
import KeychainModel

/// What an ELF file (elf(5)) tells the dynamic linker about where libraries are. It is read with bounds, and only the form
/// of this machine.
struct ElfFile {
    /// The dynamic linker that it names.
    private(set) var interpreter: String?
    /// Names of libraries, and whole paths.
    private(set) var needed: [String] = []
    /// Folders, as they stand there.
    private(set) var runPaths: [String] = []
    /// Whether it names libraries that look on while it is linked.
    private(set) var hasAuditors = false

    private let descriptor: Int32
    private let size: UInt64

    private struct Segment {
        let type: UInt32
        let offset: UInt64
        let address: UInt64
        let length: UInt64
    }

    private enum Tag {
        static let needed: UInt64 = 1
        static let strings: UInt64 = 5
        static let runPath: Set<UInt64> = [15, 29]
        static let auditors: Set<UInt64> = [0x6FFF_FEFB, 0x6FFF_FEFC]
    }

    private static let loaded: UInt32 = 1
    private static let dynamic: UInt32 = 2
    private static let interpreterType: UInt32 = 3
    private static let segmentLength = 56
    private static let mostSegments = 256
    /// In bytes: of the list of what is needed, and of a name.
    private static let longestList: UInt64 = 64 << 10
    private static let longestName: UInt64 = 4096

    /// - Throws: `invalidParameter` for what cannot be read.
    init(_ descriptor: Int32, size: UInt64) throws(KeychainError) {
        self.descriptor = descriptor
        self.size = size
        let header = try bytes(at: 0, count: 64)
        // 64 bits, little-endian.
        guard header.prefix(6) == [0x7F, 0x45, 0x4C, 0x46, 2, 1], header.number(at: 54, bytes: 2) == Self.segmentLength
        else { throw Self.unreadable }
        let count = Int(header.number(at: 56, bytes: 2))
        guard count <= Self.mostSegments else { throw Self.unreadable }
        let table = try bytes(at: header.number(at: 32, bytes: 8), count: UInt64(count * Self.segmentLength))
        let segments = (0..<count).map { index in
            let start = index * Self.segmentLength
            return Segment(
                type: UInt32(table.number(at: start, bytes: 4)),
                offset: table.number(at: start + 8, bytes: 8),
                address: table.number(at: start + 16, bytes: 8),
                length: table.number(at: start + 32, bytes: 8)
            )
        }
        if let segment = segments.first(where: { $0.type == Self.interpreterType }) {
            interpreter = try text(at: segment.offset)
        }
        if let segment = segments.first(where: { $0.type == Self.dynamic }) {
            try readList(segment, among: segments.filter { $0.type == Self.loaded })
        }
    }

    private mutating func readList(_ segment: Segment, among loaded: [Segment]) throws(KeychainError) {
        let list = try bytes(at: segment.offset, count: min(segment.length, Self.longestList))
        let entries = stride(from: 0, through: list.count - 16, by: 16)
            .map { (tag: list.number(at: $0, bytes: 8), value: list.number(at: $0 + 8, bytes: 8)) }
            .prefix { $0.tag != 0 }
        guard let address = entries.first(where: { $0.tag == Tag.strings })?.value,
            let home = loaded.first(where: { $0.address <= address && address - $0.address < $0.length })
        else { throw Self.unreadable }
        let (strings, overflow) = home.offset.addingReportingOverflow(address - home.address)
        guard !overflow else { throw Self.unreadable }
        for (tag, value) in entries {
            let (offset, overflow) = strings.addingReportingOverflow(value)
            switch tag {
            case Tag.needed where !overflow: needed.append(try text(at: offset))
            case _ where Tag.runPath.contains(tag) && !overflow: runPaths += Self.folders(try text(at: offset))
            case _ where Tag.auditors.contains(tag): hasAuditors = true
            default: break
            }
        }
    }

    private static func folders(_ list: String) -> [String] {
        list.isEmpty ? [] : list.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }

    private func text(at offset: UInt64) throws(KeychainError) -> String {
        guard offset < size else { throw Self.unreadable }
        let found = try bytes(at: offset, count: min(Self.longestName, size - offset))
        guard let end = found.firstIndex(of: 0) else { throw Self.unreadable }
        return String(decoding: found[..<end], as: UTF8.self)
    }

    private func bytes(at offset: UInt64, count: UInt64) throws(KeychainError) -> [UInt8] {
        let (end, overflow) = offset.addingReportingOverflow(count)
        guard !overflow, end <= size else { throw Self.unreadable }
        var found: [UInt8] = []
        try unsafe FileParts.read(descriptor, offset..<end) { unsafe found.append(contentsOf: $0) }
        return found
    }

    private static var unreadable: KeychainError {
        KeychainError(.invalidParameter, "it is no program for 64-bit Linux, or a damaged one")
    }
}

extension [UInt8] {
    /// A little-endian number. What lies behind the end is zero.
    fileprivate func number(at offset: Int, bytes count: Int) -> UInt64 {
        dropFirst(offset).prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
