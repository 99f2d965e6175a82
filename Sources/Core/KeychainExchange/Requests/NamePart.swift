package import KeychainCertificates
import KeychainModel
import SwiftASN1

/// One part of a name that is made here, such as its common name.
package struct NamePart: Hashable, Sendable {
    package let type: OID
    package let value: String

    package init(_ type: OID, _ value: String) {
        self.type = type
        self.value = value
    }

    /// The Name (RFC 5280, section 4.1.2.4) of these parts in this order, each a relative name of its own.
    ///
    /// - Throws: `invalidParameter` for a value that its type cannot have.
    static func encoded(_ parts: [NamePart]) throws(KeychainError) -> [UInt8] {
        var names: [[UInt8]] = []
        for part in parts {
            names.append(Encoding.set([Encoding.sequence(Encoding.object(part.type), try part.text())]))
        }
        return Encoding.sequence(of: names)
    }

    /// The value in the type of text that RFC 5280, appendix A.1, has for the part.
    private func text() throws(KeychainError) -> [UInt8] {
        let bytes = Array(value.utf8)
        let isRight: Bool
        let tag: UInt8
        switch type {
        case .country:
            (tag, isRight) = (0x13, bytes.count == 2 && bytes.allSatisfy(\.isPrintable))
        case .serialNumber, .distinguishedNameQualifier:
            (tag, isRight) = (0x13, !bytes.isEmpty && bytes.allSatisfy(\.isPrintable))
        case .emailAddress, .domainComponent: (tag, isRight) = (0x16, !bytes.isEmpty && bytes.allSatisfy { $0 < 0x80 })
        default: (tag, isRight) = (0x0C, !bytes.isEmpty)
        }
        // Behind NUL, programs in C would not look.
        guard isRight, !bytes.contains(0), bytes.count <= 1024 else {
            throw KeychainError(.invalidParameter, "a part of the name, \(type), cannot have such a value")
        }
        return Encoding.element(tag, bytes)
    }
}

extension UInt8 {
    /// Whether it is a letter of PrintableString (ITU-T X.680, section 41.4).
    fileprivate var isPrintable: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: " '()+,-./:=?".utf8.contains(self)
        }
    }
}
