/// Reads comma-separated values (RFC 4180): quoted fields may have commas, quotes and line ends in them.
///
/// Our own: SwiftCSV 0.10 leaves out spaces at the beginning of a field, so that a password would come out changed, and
/// takes a quoted field without an end for a whole one.
package struct CSVReader {
    private var bytes: ArraySlice<UInt8>
    /// Of what is read next, from 1.
    package private(set) var line = 1

    package static let mostFields = 256
    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    package init(_ bytes: [UInt8]) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        self.bytes = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    }

    /// The next row that is not empty; nil at the end.
    ///
    /// - Throws: for a quoted field without an end, too many fields, and text that is not UTF-8.
    package mutating func next() throws(ImportFailure) -> [String]? {
        while !bytes.isEmpty {
            let start = line
            let row = try row(from: start)
            if row != [""] { return row }
        }
        return nil
    }

    private mutating func row(from start: Int) throws(ImportFailure) -> [String] {
        var row: [String] = []
        while true {
            row.append(try field(from: start))
            guard row.count <= Self.mostFields else { throw ImportFailure("line \(start) has too many fields") }
            guard let byte = bytes.popFirst() else { return row }
            if byte == Self.comma { continue }
            if byte == Self.carriageReturn, bytes.first == Self.lineFeed { bytes = bytes.dropFirst() }
            line += 1
            return row
        }
    }

    private mutating func field(from start: Int) throws(ImportFailure) -> String {
        var field: [UInt8] = []
        if bytes.first == Self.quote {
            bytes = bytes.dropFirst()
            while true {
                guard let byte = bytes.popFirst() else {
                    throw ImportFailure("line \(start): a quoted field has no end")
                }
                if byte == Self.lineFeed { line += 1 }
                guard byte == Self.quote else {
                    field.append(byte)
                    continue
                }
                guard bytes.first == Self.quote else { break }
                field.append(Self.quote)
                bytes = bytes.dropFirst()
            }
        }
        // What follows a quoted field is taken as it is; so are quotes in the middle of one that has none around it.
        let end = bytes.firstIndex { [Self.comma, Self.lineFeed, Self.carriageReturn].contains($0) } ?? bytes.endIndex
        field += bytes[..<end]
        bytes = bytes[end...]
        guard let text = String(validating: field, as: UTF8.self) else {
            throw ImportFailure("line \(start) is not text in UTF-8")
        }
        return text
    }
}
