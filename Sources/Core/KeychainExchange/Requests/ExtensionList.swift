package import KeychainCertificates
import KeychainModel
import SwiftASN1

/// What a certificate is to be good for, as its owner asks for it or as its issuer says (RFC 5280, section 4.2.1).
package struct ExtensionList: Sendable {
    /// The bits of KeyUsage, the first being digitalSignature.
    package struct KeyUsage: OptionSet, Sendable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        package static let digitalSignature = KeyUsage(rawValue: 1 << 0)
        package static let nonRepudiation = KeyUsage(rawValue: 1 << 1)
        package static let keyEncipherment = KeyUsage(rawValue: 1 << 2)
        package static let dataEncipherment = KeyUsage(rawValue: 1 << 3)
        package static let keyAgreement = KeyUsage(rawValue: 1 << 4)
        package static let certificateSigning = KeyUsage(rawValue: 1 << 5)
        package static let revocationListSigning = KeyUsage(rawValue: 1 << 6)
        package static let encipherOnly = KeyUsage(rawValue: 1 << 7)
        package static let decipherOnly = KeyUsage(rawValue: 1 << 8)

        /// The BIT STRING, without the zeros at its end (ITU-T X.690, section 11.2.2).
        fileprivate var encoded: [UInt8] {
            let count = UInt16.bitWidth - rawValue.leadingZeroBitCount
            let size = (count + 7) / 8
            var bytes = [UInt8](repeating: 0, count: size)
            for bit in 0..<count where rawValue >> bit & 1 == 1 { bytes[bit / 8] |= 0x80 >> (bit % 8) }
            return Encoding.element(0x03, [UInt8(size * 8 - count)] + bytes)
        }
    }

    package enum BasicConstraints: Sendable {
        case notAnAuthority
        /// - Parameter pathLength: how many authorities may follow, before the last certificate; nil for any number.
        case authority(pathLength: UInt8?)
    }

    package enum AlternativeName: Hashable, Sendable {
        /// ASCII; of an international name what starts with `xn--`.
        case dns(String)
        case emailAddress(String)
        /// 4 bytes or 16.
        case ipAddress([UInt8])
        case uri(String)
    }

    package var basicConstraints: BasicConstraints?
    /// Empty for no such extension.
    package var keyUsage: KeyUsage = []
    package var extendedKeyUsage: [OID] = []
    package var alternativeNames: [AlternativeName] = []
    package var subjectKeyIdentifier: [UInt8]?
    /// That of the issuer's key.
    package var authorityKeyIdentifier: [UInt8]?

    package init() {}

    package var isEmpty: Bool {
        basicConstraints == nil && keyUsage.isEmpty && extendedKeyUsage.isEmpty && alternativeNames.isEmpty
            && subjectKeyIdentifier == nil && authorityKeyIdentifier == nil
    }

    /// The SEQUENCE of extensions.
    ///
    /// - Throws: `invalidParameter` for an alternative name that is none.
    func encoded() throws(KeychainError) -> [UInt8] {
        var list: [[UInt8]] = []
        switch basicConstraints {
        case .notAnAuthority?: list.append(Self.element(.basicConstraints, isCritical: true, Encoding.sequence()))
        case .authority(let length)?:
            let isAuthority: [UInt8] = [0x01, 0x01, 0xFF]
            let content = isAuthority + (length.map { Encoding.integer(Int($0)) } ?? [])
            list.append(Self.element(.basicConstraints, isCritical: true, Encoding.sequence(content)))
        case nil: break
        }
        if !keyUsage.isEmpty { list.append(Self.element(.keyUsage, isCritical: true, keyUsage.encoded)) }
        if !extendedKeyUsage.isEmpty {
            list.append(Self.element(.extendedKeyUsage, Encoding.sequence(of: extendedKeyUsage.map(Encoding.object))))
        }
        if !alternativeNames.isEmpty {
            var names: [[UInt8]] = []
            for name in alternativeNames { names.append(try name.encoded()) }
            list.append(Self.element(.subjectAlternativeName, Encoding.sequence(of: names)))
        }
        if let subjectKeyIdentifier {
            list.append(Self.element(.subjectKeyIdentifier, Encoding.octets(subjectKeyIdentifier)))
        }
        if let authorityKeyIdentifier {
            let identifier = Encoding.sequence(Encoding.element(0x80, authorityKeyIdentifier))
            list.append(Self.element(.authorityKeyIdentifier, identifier))
        }
        return Encoding.sequence(of: list)
    }

    private static func element(_ type: OID, isCritical: Bool = false, _ value: [UInt8]) -> [UInt8] {
        Encoding.sequence(Encoding.object(type), isCritical ? [0x01, 0x01, 0xFF] : [], Encoding.octets(value))
    }
}

extension ExtensionList.AlternativeName {
    /// The GeneralName (RFC 5280, section 4.2.1.6).
    fileprivate func encoded() throws(KeychainError) -> [UInt8] {
        switch self {
        case .emailAddress(let address): return Encoding.element(0x81, try Self.ascii(address))
        case .dns(let name): return Encoding.element(0x82, try Self.ascii(name))
        case .uri(let text): return Encoding.element(0x86, try Self.ascii(text))
        case .ipAddress(let bytes):
            guard bytes.count == 4 || bytes.count == 16 else { throw Self.noName }
            return Encoding.element(0x87, bytes)
        }
    }

    private static func ascii(_ text: String) throws(KeychainError) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard (1...1024).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw noName }
        return bytes
    }

    private static let noName = KeychainError(.invalidParameter, "an alternative name is not of its kind")
}
