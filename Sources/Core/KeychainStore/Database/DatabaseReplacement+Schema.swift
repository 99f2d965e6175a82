import Foundation
import KeychainModel

/// Putting a good schema into a damaged database: all keychains have the same one, on the same pages, and so know where
/// their tables and indexes start.
extension DatabaseReplacement {
    private static let pageSize = 4096

    /// Writes the file's description and the pages of the schema from a good database into a damaged one, and gives one
    /// that was cut off the empty pages that it must at least have.
    ///
    /// - Throws: `diskFull`, `inputOutput`.
    func mendSchema(of damaged: String, from good: String) throws(KeychainError) {
        guard let source = FileManager.default.contents(atPath: good).map(Array.init),
            let file = FileHandle(forUpdatingAtPath: damaged), let end = try? file.seekToEnd()
        else { throw KeychainError(.inputOutput, "\(damaged) cannot be written") }
        let size = Int(clamping: end) / Self.pageSize * Self.pageSize
        var pages = Self.schemaPages(of: source)
        let description = Self.description(source, length: max(size, source.count))
        pages[0]?.replaceSubrange(0..<100, with: description)
        do {
            if size < source.count {
                try file.seek(toOffset: UInt64(size))
                try file.write(contentsOf: source[size...])
            }
            for (number, page) in pages {
                try file.seek(toOffset: UInt64(number * Self.pageSize))
                try file.write(contentsOf: page)
            }
            try file.close()
        } catch {
            throw KeychainError(.diskFull, "\(damaged) cannot be written; make room on the disk")
        }
    }

    /// The first 100 bytes (https://www.sqlite.org/fileformat.html, section 1.3) for another length and no free pages.
    private static func description(_ source: [UInt8], length: Int) -> [UInt8] {
        var description = Array(source.prefix(100))
        for (offset, number) in [(28, UInt32(clamping: length / pageSize)), (32, 0), (36, 0)] {
            for index in 0..<4 {
                description[offset + index] = UInt8(truncatingIfNeeded: number >> UInt32(24 - index * 8))
            }
        }
        return description
    }

    /// The first page and those that it leads to, by their numbers from 0. The source is ours and sound.
    private static func schemaPages(of source: [UInt8]) -> [Int: [UInt8]] {
        func number(at offset: Int, bytes: Int) -> Int {
            source[offset..<(offset + bytes)].reduce(0) { $0 << 8 | Int($1) }
        }
        var numbers = [0]
        // An inner page of a table (section 1.6): a cell for each child, and the last child in the page's head.
        if source[100] == 5 {
            let cells = (0..<number(at: 103, bytes: 2)).map { number(at: 112 + $0 * 2, bytes: 2) }
            numbers += (cells + [108]).map { number(at: $0, bytes: 4) - 1 }
        }
        return Dictionary(
            uniqueKeysWithValues: numbers.map { ($0, Array(source[($0 * pageSize)..<(($0 + 1) * pageSize)])) }
        )
    }
}
