import SwiftASN1

/// A list of certificates that their issuer has revoked (CRL; RFC 5280, section 5.1). Its signature is not checked here.
///
/// A list may have hundreds of thousands of entries: they stay bytes, and are walked through when somebody asks.
package struct RevocationList: Sendable {
    /// Longer ones are not read.
    package static let mostBytes = 8 << 20

    package let issuer: DistinguishedName
    /// Since when, and until when it is known to be right, in seconds since 2001-01-01. The end may be left out.
    package let thisUpdate: Double
    package let nextUpdate: Double?
    /// Those of the whole list, each type at most once.
    package let extensions: [CertificateExtension]
    /// nil for a list of all certificates of its issuer.
    package let issuingDistributionPoint: IssuingDistributionPoint?
    /// TBSCertList, which is signed, as it stands in the list.
    package let signedBytes: ArraySlice<UInt8>
    package let signatureAlgorithm: AlgorithmIdentifier
    /// The bytes of the BIT STRING.
    package let signature: ArraySlice<UInt8>
    /// nil for none.
    private let entries: DERElement?

    /// - Returns: nil for anything that is no list, and for one that is too long. What is wrong with an entry is found out
    ///   by `status(ofSerialNumber:)`.
    package init?(der: [UInt8]) {
        guard der.count <= Self.mostBytes else { return nil }
        try? self.init(DERElement(der[...]))
    }

    private init(_ list: DERElement) throws {
        var fields = try list.fields(of: .derSequence)
        let signed = try fields.required(.derSequence)
        let algorithm = try fields.required(.derSequence)
        let signature = try ASN1BitString(derEncoded: fields.required(.derBitString).node)
        try fields.end()
        guard signature.paddingBits == 0 else { throw Malformed() }
        self.signature = signature.bytes
        signatureAlgorithm = try AlgorithmIdentifier(algorithm.node)
        signedBytes = signed.encodedBytes

        var parts = try signed.fields(of: .derSequence)
        let version = try parts.optional(.derInteger).map { try Int8(derEncoded: $0.node) }
        // Version 2 is written as 1, and version 1 not at all.
        guard version == nil || version == 1 else { throw Malformed() }
        // The signed part has to say the same (RFC 5280, section 5.1.1.2).
        guard try parts.required(.derSequence).encodedBytes.elementsEqual(algorithm.encodedBytes) else {
            throw Malformed()
        }
        issuer = try DistinguishedName(parts.required(.derSequence).node)
        guard let thisUpdate = try parts.next() else { throw Malformed() }
        self.thisUpdate = try thisUpdate.node.secondsSinceReferenceDate()
        nextUpdate = try parts.optional(.derUTCTime, .derGeneralizedTime).map {
            try $0.node.secondsSinceReferenceDate()
        }
        entries = try parts.optional(.derSequence)
        extensions = try parts.optional(.derTaggedElements(0)).map { try CertificateExtension.list($0.node) } ?? []
        try parts.end()
        guard Set(extensions.map(\.type)).count == extensions.count else { throw Malformed() }
        issuingDistributionPoint = try extensions.first { $0.type == .issuingDistributionPoint }.map {
            try IssuingDistributionPoint($0.value)
        }
    }
}

extension RevocationList {
    /// What a list says of a certificate.
    package enum Status: Sendable {
        case notListed
        case revoked
        /// The list says that it is listed no more, which only a list of changes may say (RFC 5280, section 5.3.1).
        case removed
    }

    /// Looks for a certificate among the entries. It takes as long as the list is.
    ///
    /// - Parameter serialNumber: the content of the INTEGER.
    /// - Returns: nil where an entry is malformed, or has a critical extension: such a list says nothing of any
    ///   certificate (RFC 5280, section 5.3). So does one that names certificates of other issuers.
    package func status(ofSerialNumber serialNumber: [UInt8]) -> Status? {
        guard let entries else { return .notListed }
        return try? Self.status(of: serialNumber, in: entries)
    }

    private static func status(of serialNumber: [UInt8], in entries: DERElement) throws -> Status {
        var status = Status.notListed
        var rest = try entries.fields(of: .derSequence)
        while let entry = try rest.next() {
            var fields = try entry.fields(of: .derSequence)
            let number = try fields.required(.derInteger).content
            guard let date = try fields.next(), date.tag == .derUTCTime || date.tag == .derGeneralizedTime else {
                throw Malformed()
            }
            let isRemoved = try fields.optional(.derSequence).map(isRemoved) ?? false
            try fields.end()
            guard number.count == serialNumber.count, number.elementsEqual(serialNumber), status != .revoked else {
                continue
            }
            status = isRemoved ? .removed : .revoked
        }
        return status
    }

    /// Whether the extensions of an entry have the reason removeFromCRL.
    ///
    /// - Throws: where they are malformed, and where one is critical: none of those that can be is understood.
    private static func isRemoved(_ extensions: DERElement) throws -> Bool {
        var isRemoved = false
        var rest = try extensions.fields(of: .derSequence)
        while let element = try rest.next() {
            var fields = try element.fields(of: .derSequence)
            let type = try fields.required(.derObjectIdentifier).content
            // Left out where it is false; some spell it out.
            if let isCritical = try fields.optional(.derBoolean), !isCritical.content.elementsEqual([0]) {
                throw Malformed()
            }
            let value = try fields.required(.derOctetString).content
            try fields.end()
            if type.elementsEqual(OID.revocationReason.content) {
                // An ENUMERATED of one byte.
                guard value.count == 3, value.starts(with: [0x0A, 1]) else { throw Malformed() }
                isRemoved = value.last == 8
            }
        }
        return isRemoved
    }
}
