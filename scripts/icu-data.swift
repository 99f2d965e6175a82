// Reads ICU's data, as Foundation has them, and writes what is left without other languages than English, without
// converters of old encodings and without dictionaries for line breaks: scripts/icu-data.swift FROM TO (scripts/release.sh).
//
// The form is ICU's own "common data" (CmnD): a header that begins with its own length, then a table of contents, which
// has the number of entries and for each the offsets of its name and of its data, then names and data. All offsets count
// from the table, and the entries are sorted by name.
import Foundation

struct UnknownForm: Error, CustomStringConvertible {
    let description: String
}

struct Entry {
    let name: Data
    let contents: Data
}

/// A little-endian number of the data's.
func number(_ data: Data, at offset: Int, bytes: Int = 4) throws -> Int {
    guard offset >= 0, offset + bytes <= data.count else {
        throw UnknownForm(description: "an offset is outside of it")
    }
    return (0..<bytes).reversed().reduce(0) { $0 << 8 | Int(data[data.startIndex + offset + $1]) }
}

func entries(of data: Data) throws -> (header: Data, entries: [Entry]) {
    let size = try number(data, at: 0, bytes: 2)
    guard data.count > size, size >= 24, data[2...3] == Data([0xDA, 0x27]), data[12...16] == Data("CmnD".utf8) + [1]
    else {
        throw UnknownForm(description: "it is no common data of version 1")
    }
    let body = Data(data.dropFirst(size))
    let count = try number(body, at: 0)
    let offsets = try (0..<count).map { try (number(body, at: 4 + 8 * $0), number(body, at: 8 + 8 * $0)) }
    let ends = offsets.dropFirst().map(\.1) + [body.count]
    let entries = try zip(offsets, ends).map { offsets, end in
        let (name, start) = offsets
        guard name < body.count, start <= end, end <= body.count else {
            throw UnknownForm(description: "an entry is outside of it")
        }
        return Entry(name: body[name...].prefix { $0 != 0 }, contents: body[start..<end])
    }
    return (data.prefix(size), entries)
}

/// Says whether a program that speaks English may need it.
func isKept(_ entry: Entry) -> Bool {
    // icudt76l/TREE/NAME.KIND, or icudt76l/NAME.KIND
    let file = String(decoding: entry.name, as: UTF8.self).split(separator: "/").last ?? ""
    if file.hasSuffix(".cnv") || file.hasSuffix(".dict") || file.contains("_model") { return false }
    guard file.hasSuffix(".res"), let language = file.dropLast(4).split(separator: "_").first else { return true }
    let isLanguage = (2...3).contains(language.count) && language.allSatisfy(\.isLowercase)
    return !isLanguage || ["en.res", "en_001.res", "en_US.res", "en_US_POSIX.res"].contains(file)
}

func written(_ header: Data, _ entries: [Entry]) -> Data {
    func bytes(_ number: Int) -> Data { withUnsafeBytes(of: UInt32(number).littleEndian) { Data($0) } }
    var names = Data()
    var table = bytes(entries.count)
    var contents = Data()
    let start = 4 + 8 * entries.count
    // Data begin at multiples of 16, after the names.
    let namesSize = entries.reduce(0) { $0 + $1.name.count + 1 }
    let first = (start + namesSize + 15) / 16 * 16
    for entry in entries {
        table += bytes(start + names.count) + bytes(first + contents.count)
        names += entry.name + [0]
        contents += entry.contents
        contents += Data(count: (16 - contents.count % 16) % 16)
    }
    return header + table + names + Data(count: first - start - namesSize) + contents
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    FileHandle.standardError.write(Data("usage: icu-data.swift FROM TO\n".utf8))
    exit(2)
}
do {
    let (header, all) = try entries(of: Data(contentsOf: URL(fileURLWithPath: arguments[1])))
    let kept = all.filter(isKept)
    let data = written(header, kept)
    try data.write(to: URL(fileURLWithPath: arguments[2]))
    print("\(kept.count) of \(all.count) entries of ICU's data are kept, \(data.count) bytes")
} catch {
    FileHandle.standardError.write(Data("icu-data.swift: \(error)\n".utf8))
    exit(1)
}
