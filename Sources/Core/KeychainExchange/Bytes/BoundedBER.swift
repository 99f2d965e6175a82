import KeychainModel
import SwiftASN1

/// BER from anywhere, parsed as SwiftASN1 parses it, within bounds.
///
/// SwiftASN1 bounds how deep elements lie in each other (50), but keeps about a hundred bytes for each of them: ten
/// megabytes of empty elements would become hundreds.
enum BoundedBER {
    static let mostElements = 200_000

    /// - Throws: `dataTooLarge`; `undecodable` for anything but one whole element.
    static func parse(_ bytes: [UInt8]) throws(KeychainError) -> ASN1Node {
        guard bytes.count <= ExchangeLimits.largestFile else { throw .tooLarge }
        guard elementsAreFew(bytes) else { throw .tooLarge }
        do {
            return try BER.parse(bytes)
        } catch {
            throw .malformed
        }
    }

    /// Walks over all tags and lengths without going by their nesting. What is wrong with them is left to the parser, which
    /// comes along the same way and stops there.
    private static func elementsAreFew(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        var count = 0
        while let tag = rest.popFirst() {
            count += 1
            guard count <= mostElements else { return false }
            if tag & 0x1F == 0x1F {
                while let byte = rest.popFirst(), byte >= 0x80 {}
            }
            guard let first = rest.popFirst() else { return true }
            var length = Int(first)
            if first >= 0x80 {
                length = 0
                for _ in 0..<(first & 0x7F) {
                    guard let byte = rest.popFirst(), length <= bytes.count else { return true }
                    length = length << 8 | Int(byte)
                }
            }
            // What is constructed is walked through.
            guard tag & 0x20 == 0 else { continue }
            guard length <= rest.count else { return true }
            rest = rest.dropFirst(length)
        }
        return true
    }
}
