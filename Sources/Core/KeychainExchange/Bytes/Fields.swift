import KeychainCertificates
import KeychainModel
import SwiftASN1

/// The elements of a SEQUENCE, one after the other.
struct Fields {
    private var iterator: ASN1NodeCollection.Iterator

    fileprivate init(_ nodes: ASN1NodeCollection) {
        iterator = nodes.makeIterator()
    }

    /// The next element, which has to be there.
    mutating func next() throws(KeychainError) -> ASN1Node {
        guard let node = iterator.next() else { throw .malformed }
        return node
    }

    /// The next element if it is there and of this kind.
    mutating func next(_ identifier: ASN1Identifier) -> ASN1Node? {
        var following = iterator
        guard let node = following.next(), node.identifier == identifier else { return nil }
        iterator = following
        return node
    }

    mutating func nextIfAny() -> ASN1Node? { iterator.next() }

    func end() throws(KeychainError) {
        var following = iterator
        guard following.next() == nil else { throw .malformed }
    }
}

extension ASN1Identifier {
    static func context(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}

extension ASN1Node {
    /// The elements of a constructed element.
    func fields(_ identifier: ASN1Identifier = .sequence) throws(KeychainError) -> Fields {
        guard self.identifier == identifier, case .constructed(let nodes) = content else { throw .malformed }
        return Fields(nodes)
    }

    /// The element within an explicit tag.
    func tagged(_ number: UInt) throws(KeychainError) -> ASN1Node {
        var fields = try fields(.context(number))
        let node = try fields.next()
        try fields.end()
        return node
    }

    /// An OCTET STRING, in one piece or, as BER allows, in several.
    func octets(_ identifier: ASN1Identifier = .octetString) throws(KeychainError) -> [UInt8] {
        do {
            return Array(try ASN1OctetString(berEncoded: self, withIdentifier: identifier).bytes)
        } catch {
            throw .malformed
        }
    }

    /// An INTEGER from 0 to the greatest that fits; greater ones are that.
    func number() throws(KeychainError) -> Int {
        guard identifier == .integer, case .primitive(let bytes) = content, let first = bytes.first, first < 0x80 else {
            throw .malformed
        }
        let digits = bytes.drop { $0 == 0 }
        guard digits.count < 8 else { return .max }
        return digits.reduce(0) { $0 << 8 | Int($1) }
    }

    func identifierOfObject() throws(KeychainError) -> OID {
        do {
            return try OID(self)
        } catch {
            throw .malformed
        }
    }
}

/// An algorithm and what it needs to know (RFC 5280, section 4.1.1.2).
struct Algorithm {
    let identifier: OID
    let parameters: ASN1Node?

    init(_ node: ASN1Node) throws(KeychainError) {
        var fields = try node.fields()
        identifier = try fields.next().identifierOfObject()
        parameters = fields.nextIfAny()
        try fields.end()
    }

    /// The parameters, where there have to be some.
    func fields() throws(KeychainError) -> Fields {
        guard let parameters else { throw .malformed }
        return try parameters.fields()
    }
}

extension KeychainError {
    static let malformed = KeychainError(.undecodable, "the bytes are damaged, or of another format")
    static let tooLarge = KeychainError(.dataTooLarge, "there is more in the bytes than is read")
    static let wrongPassword = KeychainError(.authenticationFailed, "the password is wrong, or the bytes are damaged")

    static func unknownAlgorithm(_ identifier: OID) -> KeychainError {
        KeychainError(.unimplemented, "the algorithm \(identifier) is not known here")
    }
}
