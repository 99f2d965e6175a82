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

extension OID {
    // Parts of names (ITU-T X.520; RFC 4519; RFC 2985).
    package static let commonName = OID([2, 5, 4, 3])
    package static let surname = OID([2, 5, 4, 4])
    package static let serialNumber = OID([2, 5, 4, 5])
    package static let country = OID([2, 5, 4, 6])
    package static let locality = OID([2, 5, 4, 7])
    package static let state = OID([2, 5, 4, 8])
    package static let organization = OID([2, 5, 4, 10])
    package static let organizationalUnit = OID([2, 5, 4, 11])
    package static let givenName = OID([2, 5, 4, 42])
    package static let distinguishedNameQualifier = OID([2, 5, 4, 46])
    package static let domainComponent = OID([0, 9, 2342, 19200300, 100, 1, 25])
    package static let emailAddress = OID([1, 2, 840, 113549, 1, 9, 1])

    // Purposes of keys (RFC 5280, section 4.2.1.12).
    package static let serverAuthentication = OID([1, 3, 6, 1, 5, 5, 7, 3, 1])
    package static let clientAuthentication = OID([1, 3, 6, 1, 5, 5, 7, 3, 2])
    package static let codeSigning = OID([1, 3, 6, 1, 5, 5, 7, 3, 3])
    package static let emailProtection = OID([1, 3, 6, 1, 5, 5, 7, 3, 4])
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
