import SwiftASN1

extension CertificateExtension {
    /// The extension as people read it: whether it is critical, and what it says. The bytes, where it is unknown or is not
    /// what it should be.
    var property: CertificateProperty {
        let content = (try? contents) ?? [CertificateProperty("Data", .data(Array(value)))]
        return CertificateProperty(
            OID.name(of: type.description) ?? "Extension",
            .section([CertificateProperty("Critical", isTrue: isCritical)] + content),
            identifier: type.description
        )
    }

    /// What a known extension says; nil for others.
    private var contents: [CertificateProperty]? {
        get throws {
            switch type {
            case .basicConstraints: try basicConstraints
            case .keyUsage: try keyUsage
            case .extendedKeyUsage: try extendedKeyUsage
            case .subjectAlternativeName, .issuerAlternativeName:
                try GeneralName.list(in: value).map(\.property)
            case .subjectKeyIdentifier:
                [CertificateProperty("Key ID", .data(Array(try ASN1OctetString(derEncoded: root).bytes)))]
            case .authorityKeyIdentifier: try authorityKeyIdentifier
            case .certificatePolicies: try certificatePolicies
            case .authorityInformationAccess, .subjectInformationAccess: try informationAccess
            case .crlDistributionPoints, .freshestCRL: try distributionPoints
            default: nil
            }
        }
    }

    private var root: ASN1Node { get throws { try DER.parse(value) } }

    private var basicConstraints: [CertificateProperty] {
        get throws {
            try DER.sequence(root, identifier: .sequence) { nodes in
                var next = nodes.next()
                var isAuthority = false
                if let node = next, node.identifier == .boolean {
                    isAuthority = try Bool(derEncoded: node)
                    next = nodes.next()
                }
                let authority = CertificateProperty("Certificate Authority", isTrue: isAuthority)
                guard let next else { return [authority] }
                return [authority, CertificateProperty("Path Length Constraint", text: try next.integerText)]
            }
        }
    }

    /// In the order of the bits.
    private static let uses = [
        "Digital Signature", "Non-Repudiation", "Key Encipherment", "Data Encipherment", "Key Agreement",
        "Key Cert Sign", "CRL Sign", "Encipher Only", "Decipher Only",
    ]

    private var keyUsage: [CertificateProperty] {
        get throws {
            let bits = try DERElement(value).maskedBits()
            let uses = Self.uses.enumerated().filter { index, _ in
                let byte = index / 8
                return byte < bits.count && bits[byte] & (0x80 >> UInt8(index % 8)) != 0
            }
            return [CertificateProperty("Usage", .string(uses.map(\.element).joined(separator: ", ")))]
        }
    }

    private var extendedKeyUsage: [CertificateProperty] {
        get throws {
            var uses: [CertificateProperty] = []
            try root.forEachChild(of: .sequence) {
                uses.append(CertificateProperty("Purpose", .string(try OID($0).described)))
            }
            return uses
        }
    }

    private var authorityKeyIdentifier: [CertificateProperty] {
        get throws {
            var properties: [CertificateProperty] = []
            try root.forEachChild(of: .sequence) { node in
                switch (node.identifier.tagNumber, node.content) {
                case (0, .primitive(let bytes)): properties.append(CertificateProperty("Key ID", .data(Array(bytes))))
                case (1, .constructed(let names)):
                    for name in names { properties.append(try GeneralName(name).property) }
                case (2, .primitive(let bytes)):
                    properties.append(CertificateProperty("Serial Number", .string(bytes.hexadecimal.spaced)))
                default: throw Malformed()
                }
            }
            return properties
        }
    }

    private var certificatePolicies: [CertificateProperty] {
        get throws {
            var properties: [CertificateProperty] = []
            try root.forEachChild(of: .sequence) { policy in
                try DER.sequence(policy, identifier: .sequence) { nodes in
                    guard let type = nodes.next() else { throw Malformed() }
                    properties.append(CertificateProperty("Policy ID", .string(try OID(type).described)))
                    try nodes.next()?.forEachChild(of: .sequence) { properties.append(try Self.qualifier($0)) }
                }
            }
            return properties
        }
    }

    private static func qualifier(_ node: ASN1Node) throws -> CertificateProperty {
        try DER.sequence(node, identifier: .sequence) { nodes in
            guard let type = nodes.next(), let value = nodes.next() else { throw Malformed() }
            let label = try OID(type).described
            guard let text = DirectoryText(value)?.string else {
                return CertificateProperty(label, .data(Array(value.encodedBytes)))
            }
            return CertificateProperty(label, text: text)
        }
    }

    private var informationAccess: [CertificateProperty] {
        get throws {
            var properties: [CertificateProperty] = []
            try root.forEachChild(of: .sequence) { description in
                try DER.sequence(description, identifier: .sequence) { nodes in
                    guard let method = nodes.next(), let location = nodes.next() else { throw Malformed() }
                    properties.append(CertificateProperty("Method", .string(try OID(method).described)))
                    properties.append(try GeneralName(location).property)
                }
            }
            return properties
        }
    }

    private var distributionPoints: [CertificateProperty] {
        get throws {
            var properties: [CertificateProperty] = []
            try root.forEachChild(of: .sequence) { point in
                try point.forEachChild(of: .sequence) { part in
                    properties += try Self.distributionPart(part)
                }
            }
            return properties
        }
    }

    /// The full names of a distribution point; other parts as bytes.
    private static func distributionPart(_ part: ASN1Node) throws -> [CertificateProperty] {
        guard part.identifier.tagNumber == 0, case .constructed(let names) = part.content,
            let name = names.first(where: { _ in true }), name.identifier.tagNumber == 0,
            case .constructed(let fullName) = name.content
        else { return [CertificateProperty("Data", .data(Array(part.encodedBytes)))] }
        return try fullName.map { try GeneralName($0).property }
    }
}

extension GeneralName {
    fileprivate var property: CertificateProperty {
        switch self {
        case .emailAddress(let address): CertificateProperty("Email Address", text: address)
        case .dnsName(let name): CertificateProperty("DNS Name", text: name)
        case .uri(let uri): CertificateProperty("URI", .url(uri.displayed))
        case .directoryName(let parts): CertificateProperty("Directory Name", .section(parts.map(\.property)))
        case .ipAddress(let bytes):
            CertificateProperty("IP Address", .string(bytes.addressText))
        case .other(let bytes): CertificateProperty("Other Name", .data(Array(bytes)))
        }
    }
}

extension ArraySlice<UInt8> {
    /// The four numbers of an address; anything else in hexadecimal.
    fileprivate var addressText: String {
        guard count == 4 else { return hexadecimal.spaced }
        return map { String($0) }.joined(separator: ".")
    }
}

extension ASN1Node {
    /// An INTEGER for people: in base 10 where it fits into 64 bits.
    fileprivate var integerText: String {
        get throws {
            guard identifier == .integer, case .primitive(let bytes) = content else { throw Malformed() }
            return (try? Int64(derEncoded: self)).map { String($0) } ?? bytes.hexadecimal.spaced
        }
    }
}
