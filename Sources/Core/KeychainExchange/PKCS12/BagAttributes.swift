import KeychainCertificates
import KeychainModel
import SwiftASN1

/// What is said about a bag (RFC 7292, section 4.2; RFC 2985, section 5.5).
struct BagAttributes {
    private(set) var friendlyName: String?
    private(set) var localKeyID: [UInt8]?

    /// - Parameter node: a SET of attributes, if there is one. Of what is said twice, the first counts; what is of no use to
    ///   anybody here may be of any form.
    init(_ node: ASN1Node?) throws(KeychainError) {
        var attributes = try node?.fields(.set)
        while let attribute = attributes?.nextIfAny() {
            var fields = try attribute.fields()
            let type = try fields.next().identifierOfObject()
            var values = try fields.next().fields(.set)
            guard let value = values.nextIfAny() else { continue }
            switch type {
            case .friendlyName where friendlyName == nil: friendlyName = Self.text(value)
            case .localKeyIdentifier where localKeyID == nil: localKeyID = try value.octets()
            default: continue
            }
        }
    }

    /// A BMPString, which in practice is UTF-16; nil for bytes that are none.
    private static func text(_ node: ASN1Node) -> String? {
        guard node.identifier == .bmpString, case .primitive(let bytes) = node.content, bytes.count.isMultiple(of: 2)
        else { return nil }
        let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        return String(validating: units, as: UTF16.self)
    }

    /// The SET in DER; nothing where there is nothing to say.
    static func encoded(friendlyName: String?, localKeyID: [UInt8]?) -> [UInt8] {
        var attributes: [[UInt8]] = []
        if let friendlyName {
            let units = friendlyName.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            attributes.append(attribute(.friendlyName, Encoding.element(0x1E, units)))
        }
        if let localKeyID { attributes.append(attribute(.localKeyIdentifier, Encoding.octets(localKeyID))) }
        return attributes.isEmpty ? [] : Encoding.set(attributes)
    }

    private static func attribute(_ type: OID, _ value: [UInt8]) -> [UInt8] {
        Encoding.sequence(Encoding.object(type), Encoding.set([value]))
    }
}
