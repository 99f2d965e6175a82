import Crypto
import Foundation
import Security
import SwiftASN1
import Testing

/// A name with which a test certificate is issued, of common name and country.
struct TestName {
    var commonName: String
    var commonNameType = ASN1Identifier.utf8String
    var emailAddress: String?

    init(_ commonName: String, type: ASN1Identifier = .utf8String, emailAddress: String? = nil) {
        self.commonName = commonName
        commonNameType = type
        self.emailAddress = emailAddress
    }

    /// The Name in DER.
    var der: Data {
        get throws {
            var serializer = DER.Serializer()
            try serialize(into: &serializer)
            return Data(serializer.serializedBytes)
        }
    }

    func serialize(into serializer: inout DER.Serializer) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { name in
            try Self.serialize([2, 5, 4, 6], "SE", .printableString, into: &name)
            try Self.serialize([2, 5, 4, 3], commonName, commonNameType, into: &name)
            if let emailAddress {
                try Self.serialize([1, 2, 840, 113549, 1, 9, 1], emailAddress, .ia5String, into: &name)
            }
        }
    }

    private static func serialize(
        _ type: ASN1ObjectIdentifier,
        _ value: String,
        _ identifier: ASN1Identifier,
        into serializer: inout DER.Serializer
    ) throws {
        try serializer.appendConstructedNode(identifier: .set) { relative in
            try relative.appendConstructedNode(identifier: .sequence) { attribute in
                try attribute.serialize(type)
                attribute.appendPrimitiveNode(identifier: identifier) { $0.append(contentsOf: Array(value.utf8)) }
            }
        }
    }
}

/// A real certificate, signed by its issuer's key.
struct TestCertificate {
    let subject: TestName
    let key: P256.Signing.PrivateKey
    let der: Data

    /// - Parameters:
    ///   - issuer: nil for a certificate that signs itself.
    ///   - validity: relative to now, in seconds.
    ///   - emailAddresses: those of the extension subjectAltName; nil leaves it out.
    init(
        _ subject: TestName,
        key: P256.Signing.PrivateKey = P256.Signing.PrivateKey(),
        issuer: TestCertificate? = nil,
        issuerName: TestName? = nil,
        validity: ClosedRange<TimeInterval> = -3600...3600,
        emailAddresses: [String]? = nil
    ) throws {
        self.subject = subject
        self.key = key
        var signed = DER.Serializer()
        try signed.appendConstructedNode(identifier: .sequence) { part in
            try part.appendConstructedNode(identifier: ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)) {
                try $0.serialize(2)
            }
            try part.serialize(Int64.random(in: 1...Int64.max))
            try Self.serializeAlgorithm(into: &part)
            try (issuerName ?? issuer?.subject ?? subject).serialize(into: &part)
            try part.appendConstructedNode(identifier: .sequence) { dates in
                try dates.serialize(GeneralizedTime(date: Date(timeIntervalSinceNow: validity.lowerBound)))
                try dates.serialize(GeneralizedTime(date: Date(timeIntervalSinceNow: validity.upperBound)))
            }
            try subject.serialize(into: &part)
            part.serializeRawBytes(key.publicKey.derRepresentation)
            if let emailAddresses { try Self.serialize(emailAddresses, into: &part) }
        }
        let signature = try (issuer?.key ?? key).signature(for: Data(signed.serializedBytes))
        var certificate = DER.Serializer()
        try certificate.appendConstructedNode(identifier: .sequence) { whole in
            whole.serializeRawBytes(signed.serializedBytes)
            try Self.serializeAlgorithm(into: &whole)
            try whole.serialize(ASN1BitString(bytes: Array(signature.derRepresentation)[...]))
        }
        der = Data(certificate.serializedBytes)
    }

    private static func serializeAlgorithm(into serializer: inout DER.Serializer) throws {
        // ecdsa-with-SHA256
        let type: ASN1ObjectIdentifier = [1, 2, 840, 10045, 4, 3, 2]
        try serializer.appendConstructedNode(identifier: .sequence) { try $0.serialize(type) }
    }

    private static func serialize(_ emailAddresses: [String], into serializer: inout DER.Serializer) throws {
        var names = DER.Serializer()
        names.appendConstructedNode(identifier: .sequence) { names in
            for address in emailAddresses {
                let rfc822Name = ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific)
                names.appendPrimitiveNode(identifier: rfc822Name) { $0.append(contentsOf: Array(address.utf8)) }
            }
        }
        let type: ASN1ObjectIdentifier = [2, 5, 29, 17]
        let content = ASN1OctetString(contentBytes: names.serializedBytes[...])
        try serializer.appendConstructedNode(identifier: ASN1Identifier(tagWithNumber: 3, tagClass: .contextSpecific)) {
            try $0.appendConstructedNode(identifier: .sequence) { extensions in
                try extensions.appendConstructedNode(identifier: .sequence) { element in
                    try element.serialize(type)
                    try element.serialize(content)
                }
            }
        }
    }

    /// The item that holds it, told from others by its label.
    func item(_ label: String, _ more: [CFString: Any] = [:]) -> [CFString: Any] {
        certificateItem(label, data: der, more)
    }
}

/// An item of class certificate with any data. Its label tells it from others, also as a primary key.
func certificateItem(_ label: String, data: Data?, _ more: [CFString: Any] = [:]) -> [CFString: Any] {
    var item: [CFString: Any] = [
        kSecClass: kSecClassCertificate, kSecAttrLabel: label, kSecAttrSerialNumber: Data(label.utf8),
    ]
    if let data { item[kSecValueData] = data }
    return item.merging(more) { _, new in new }
}

/// The labels of all items that a query finds, sorted.
func labels(of query: [CFString: Any]) throws -> [String] {
    try allAttributes(of: query).compactMap { $0["labl"] as? String }.sorted()
}

extension GeneralizedTime {
    fileprivate init(date: Date) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        try self.init(
            year: #require(parts.year),
            month: #require(parts.month),
            day: #require(parts.day),
            hours: #require(parts.hour),
            minutes: #require(parts.minute),
            seconds: #require(parts.second),
            fractionalSeconds: 0
        )
    }
}
