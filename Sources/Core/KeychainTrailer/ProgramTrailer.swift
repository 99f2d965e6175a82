/// What a signature appends to a program (docs/formats/signature.md), read and not yet believed.
///
/// It stands in a module of its own since a client of the service has to know whether its program carries one, and
/// nothing more.
package struct ProgramTrailer: Sendable, Equatable {
    /// How many bytes of the file are the program, which are those that the trailer follows.
    package let programLength: UInt64
    /// SHA-256 of them.
    package let digest: [UInt8]
    /// Apple's property list, as XML.
    package let entitlements: [UInt8]
    package let team: String
    /// The team's, as DER.
    package let certificate: [UInt8]
    /// ECDSA over P-256 and SHA-256: r and s, 64 bytes.
    package let signature: [UInt8]

    package init(
        programLength: UInt64,
        digest: [UInt8],
        entitlements: [UInt8],
        team: String,
        certificate: [UInt8],
        signature: [UInt8]
    ) {
        self.programLength = programLength
        self.digest = digest
        self.entitlements = entitlements
        self.team = team
        self.certificate = certificate
        self.signature = signature
    }

    package static let version: UInt32 = 1
    static let digestLength = 32
    static let signatureLength = 64
    /// In bytes; as much as a reader of entitlements takes.
    package static let largestEntitlements = 64 << 10
    package static let largestTeam = 32
    package static let largestCertificate = 8 << 10
    /// Before the parts whose lengths vary.
    static let headerLength = 8 + digestLength + 3 * 4
    package static let largest =
        headerLength + largestEntitlements + largestTeam + largestCertificate + signatureLength + TrailerMark.length

    /// Why bytes are no trailer, although they end as one.
    package enum Fault: Error, Sendable, Equatable, CaseIterable {
        case otherVersion
        case lengths
        case team
    }

    /// Everything that the signature is made over.
    package var signedMessage: [UInt8] {
        Self.signedMessage(
            programLength: programLength,
            digest: digest,
            entitlements: entitlements,
            team: team,
            certificate: certificate
        )
    }

    /// The certificate stands in it whole: one team's signature says nothing beside another's certificate.
    package static func signedMessage(
        programLength: UInt64,
        digest: [UInt8],
        entitlements: [UInt8],
        team: String,
        certificate: [UInt8]
    ) -> [UInt8] {
        Array("chatelaine program signature\0".utf8) + bigEndian(version)
            + header(programLength, digest, entitlements.count, team.utf8.count, certificate.count)
            + entitlements + Array(team.utf8) + certificate
    }

    /// As it follows the program.
    package var bytes: [UInt8] {
        let body =
            Self.header(programLength, digest, entitlements.count, team.utf8.count, certificate.count)
            + entitlements + Array(team.utf8) + certificate + signature
        return body
            + TrailerMark(version: Self.version, trailerLength: UInt32(clamping: body.count + TrailerMark.length)).bytes
    }

    private static func header(
        _ programLength: UInt64,
        _ digest: [UInt8],
        _ entitlements: Int,
        _ team: Int,
        _ certificate: Int
    ) -> [UInt8] {
        bigEndian(programLength) + digest
            + [entitlements, team, certificate].flatMap { bigEndian(UInt32(clamping: $0)) }
    }

    /// Reads a trailer: all of it, the mark at its end included.
    package init(bytes: [UInt8]) throws(Fault) {
        guard bytes.count <= Self.largest, let mark = TrailerMark(bytes.suffix(TrailerMark.length)) else {
            throw .lengths
        }
        guard mark.version == Self.version else { throw .otherVersion }
        guard mark.trailerLength == bytes.count else { throw .lengths }
        var rest = bytes.dropLast(TrailerMark.length)
        guard let programLength = rest.takeNumber(bytes: 8), let digest = rest.take(Self.digestLength),
            let entitlementsLength = rest.takeNumber(bytes: 4), let teamLength = rest.takeNumber(bytes: 4),
            let certificateLength = rest.takeNumber(bytes: 4)
        else { throw .lengths }
        guard (1...UInt64(Self.largestEntitlements)).contains(entitlementsLength),
            (1...UInt64(Self.largestTeam)).contains(teamLength),
            (1...UInt64(Self.largestCertificate)).contains(certificateLength),
            let entitlements = rest.take(Int(entitlementsLength)), let team = rest.take(Int(teamLength)),
            let certificate = rest.take(Int(certificateLength)), let signature = rest.take(Self.signatureLength),
            rest.isEmpty
        else { throw .lengths }
        guard team.allSatisfy(Self.isInTeam) else { throw .team }
        self.init(
            programLength: programLength,
            digest: digest,
            entitlements: entitlements,
            team: String(decoding: team, as: UTF8.self),
            certificate: certificate,
            signature: signature
        )
    }

    /// Whether a byte may stand in a team's identifier: a capital letter or a digit, as in Apple's.
    package static func isInTeam(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

/// The end of every trailer, of any version, by which a reader finds the rest.
package struct TrailerMark: Sendable, Equatable {
    package let version: UInt32
    /// Of the whole trailer, this mark included.
    package let trailerLength: UInt32

    static let magic = Array("~chatelaine signature 1~".utf8)
    package static let length = 4 + 4 + 24

    init(version: UInt32, trailerLength: UInt32) {
        self.version = version
        self.trailerLength = trailerLength
    }

    /// - Returns: nil where bytes are no mark.
    package init?(_ bytes: some Collection<UInt8>) {
        var rest = Array(bytes)[...]
        guard bytes.count == Self.length, let version = rest.takeNumber(bytes: 4),
            let trailerLength = rest.takeNumber(bytes: 4), rest.elementsEqual(Self.magic)
        else { return nil }
        self.init(version: UInt32(version), trailerLength: UInt32(trailerLength))
    }

    var bytes: [UInt8] { bigEndian(version) + bigEndian(trailerLength) + Self.magic }
}

private func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func take(_ count: Int) -> [UInt8]? {
        guard self.count >= count else { return nil }
        defer { removeFirst(count) }
        return Array(prefix(count))
    }

    /// A number in big-endian form, of eight bytes at most.
    fileprivate mutating func takeNumber(bytes count: Int) -> UInt64? {
        take(count).map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
    }
}
