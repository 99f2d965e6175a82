import SwiftASN1

/// One element of DER whose content is not looked at yet (ITU-T X.690, section 8.1).
///
/// SwiftASN1 reads a tree to its last leaf or refuses it as a whole. What is wrong inside of a name costs only the name
/// here, so a certificate is taken apart field by field.
struct DERElement {
    /// Class, form and number of the tag: all that are read here fit into one byte.
    let tag: UInt8
    let content: ArraySlice<UInt8>
    /// Tag, length and content.
    let encodedBytes: ArraySlice<UInt8>

    /// Reads the whole of some bytes.
    ///
    /// - Throws: for anything but exactly one element.
    init(_ bytes: ArraySlice<UInt8>) throws {
        var rest = bytes
        try self.init(removingFrom: &rest)
        guard rest.isEmpty else { throw Malformed() }
    }

    /// The bytes of the first element of some.
    static func first(in bytes: ArraySlice<UInt8>) throws -> [UInt8] {
        var rest = bytes
        return Array(try DERElement(removingFrom: &rest).encodedBytes)
    }

    /// Reads the first element of some bytes, and takes it off them.
    fileprivate init(removingFrom bytes: inout ArraySlice<UInt8>) throws {
        var rest = bytes
        guard let tag = rest.popFirst(), tag & 0x1F != 0x1F, let count = Self.length(&rest), count <= rest.count else {
            throw Malformed()
        }
        self.tag = tag
        content = rest.prefix(count)
        encodedBytes = bytes[..<content.endIndex]
        bytes = bytes[content.endIndex...]
    }

    /// A definite length in the fewest bytes that hold it (section 10.1).
    ///
    /// - Returns: nil for any other, and for four gibibytes and more.
    private static func length(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.popFirst() else { return nil }
        guard first >= 0x80 else { return Int(first) }
        let count = Int(first & 0x7F)
        guard (1...4).contains(count), bytes.count >= count, bytes.first != 0 else { return nil }
        let length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        bytes = bytes.dropFirst(count)
        return length >= 0x80 ? length : nil
    }

    /// Whether the content is elements; bytes otherwise.
    var hasElements: Bool { tag & 0x20 != 0 }

    /// The element with everything in it.
    ///
    /// - Throws: where that is malformed at any depth.
    var node: ASN1Node { get throws { try DER.parse(encodedBytes) } }

    /// What the element contains, if it has the given tag.
    func fields(of tag: UInt8) throws -> DERFields {
        guard self.tag == tag, hasElements else { throw Malformed() }
        return DERFields(content)
    }
}

/// The elements that another one contains, in their order.
struct DERFields {
    private var rest: ArraySlice<UInt8>

    fileprivate init(_ content: ArraySlice<UInt8>) {
        rest = content
    }

    /// - Returns: nil at the end.
    mutating func next() throws -> DERElement? {
        rest.isEmpty ? nil : try DERElement(removingFrom: &rest)
    }

    /// The next element, which has to have this tag.
    mutating func required(_ tag: UInt8) throws -> DERElement {
        guard let element = try next(), element.tag == tag else { throw Malformed() }
        return element
    }

    /// The next element, if it has one of these tags; else it stays where it is.
    mutating func optional(_ tags: UInt8...) throws -> DERElement? {
        guard let tag = rest.first, tags.contains(tag) else { return nil }
        return try next()
    }

    /// - Throws: where there is more.
    func end() throws {
        guard rest.isEmpty else { throw Malformed() }
    }
}

extension UInt8 {
    // Universal tags (ITU-T X.680, section 8.6), and the bit that says that elements are inside.
    static let derBoolean: UInt8 = 0x01
    static let derInteger: UInt8 = 0x02
    static let derBitString: UInt8 = 0x03
    static let derOctetString: UInt8 = 0x04
    static let derObjectIdentifier: UInt8 = 0x06
    static let derUTCTime: UInt8 = 0x17
    static let derGeneralizedTime: UInt8 = 0x18
    static let derSequence: UInt8 = 0x30

    /// A tag of the context's own whose content is bytes.
    static func derTagged(_ number: UInt8) -> UInt8 { 0x80 | number }

    /// A tag of the context's own whose content is elements.
    static func derTaggedElements(_ number: UInt8) -> UInt8 { 0xA0 | number }
}
