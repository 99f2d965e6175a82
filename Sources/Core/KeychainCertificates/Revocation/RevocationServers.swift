import SwiftASN1

extension CertificateContents {
    /// The addresses of servers that the issuer names for questions by OCSP (RFC 5280, section 4.2.2.1), as they stand in
    /// the certificate; none where that extension is malformed.
    package var ocspServers: [String] {
        (try? value(of: .authorityInformationAccess).map(Self.ocspServers)) ?? []
    }

    /// Where the issuer says that its own lists are which name all reasons (RFC 5280, section 4.2.1.13); none where that
    /// extension is malformed. Lists of other issuers, and lists of some reasons only, prove nothing here.
    package var revocationListServers: [String] {
        (try? value(of: .crlDistributionPoints).map(Self.revocationListServers)) ?? []
    }

    private static func ocspServers(_ value: ArraySlice<UInt8>) throws -> [String] {
        var servers: [String] = []
        var descriptions = try DERElement(value).fields(of: .derSequence)
        while let description = try descriptions.next() {
            var fields = try description.fields(of: .derSequence)
            guard let method = try fields.next(), let location = try fields.next() else { throw Malformed() }
            try fields.end()
            if try OID(method.node) == .ocspAccess, case .uri(let server) = try GeneralName(location) {
                servers.append(server)
            }
        }
        return servers
    }

    private static func revocationListServers(_ value: ArraySlice<UInt8>) throws -> [String] {
        var servers: [String] = []
        var points = try DERElement(value).fields(of: .derSequence)
        while let point = try points.next() {
            var fields = try point.fields(of: .derSequence)
            let name = try fields.optional(.derTaggedElements(0))
            let reasons = try fields.optional(.derTagged(1))
            let issuer = try fields.optional(.derTaggedElements(2))
            try fields.end()
            guard let name, reasons == nil, issuer == nil else { continue }
            servers += try DistributionPointName.uris(name)
        }
        return servers
    }
}

/// The name of a place where lists are (RFC 5280, section 4.2.1.13).
enum DistributionPointName {
    /// - Parameter field: the field `distributionPoint`, with its tag.
    /// - Returns: none for a name that is relative to its issuer's.
    static func uris(_ field: DERElement) throws -> [String] {
        var choices = try field.fields(of: .derTaggedElements(0))
        guard let choice = try choices.next() else { throw Malformed() }
        try choices.end()
        guard choice.tag == .derTaggedElements(0) else { return [] }
        var uris: [String] = []
        var names = try choice.fields(of: .derTaggedElements(0))
        while let name = try names.next() {
            if case .uri(let uri) = try GeneralName(name) { uris.append(uri) }
        }
        return uris
    }
}
