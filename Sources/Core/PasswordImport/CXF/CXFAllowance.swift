import Synchronization

/// How many elements the arrays of a file may still have. A file of 64 MiB could have millions, each of which takes far
/// more memory than it has bytes.
final class CXFAllowance: Sendable {
    /// In `JSONDecoder.userInfo`.
    static let key = CodingUserInfoKey(rawValue: "allowance")
    static let mostElements = 1_000_000

    private let left = Mutex(mostElements)

    fileprivate func takeOne() throws {
        let isTaken = left.withLock { left in
            left -= 1
            return left >= 0
        }
        guard isTaken else { throw ImportFailure("the file has more than \(Self.mostElements) parts") }
    }

    fileprivate static func of(_ decoder: any Decoder) throws -> CXFAllowance {
        guard let allowance = key.flatMap({ decoder.userInfo[$0] }) as? CXFAllowance else {
            throw ImportFailure("the file cannot be read")
        }
        return allowance
    }
}

/// An array that takes from the file's allowance.
struct CXFList<Element: Decodable>: Decodable {
    private(set) var elements: [Element] = []

    init(from decoder: any Decoder) throws {
        let allowance = try CXFAllowance.of(decoder)
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd {
            try allowance.takeOne()
            elements.append(try container.decode(Element.self))
        }
    }
}

extension KeyedDecodingContainer {
    /// The elements of an array. An array that is missing or null has none.
    func list<Element: Decodable>(_ key: Key, of: Element.Type = Element.self) throws -> [Element] {
        try decodeIfPresent(CXFList<Element>.self, forKey: key)?.elements ?? []
    }

    /// How many elements an array has.
    func count(_ key: Key) throws -> Int { try list(key, of: CXFAnything.self).count }
}

/// A value that is only counted.
struct CXFAnything: Decodable { init(from decoder: any Decoder) {} }
