import Foundation
import KeychainModel
import KeychainTrailer
import Testing

@testable import CodeSignature

/// Whether this process may do what only root may.
let isRoot = geteuid() == 0

/// A folder of a test's own, with a team that is trusted in it.
final class SigningFixture {
    let folder: String
    let key: TeamKey
    let teams: TrustedTeams

    var teamsFolder: String { folder + "/teams" }
    var verifier: SignatureVerifier { SignatureVerifier(teams: teams) }

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/signing-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        key = try Self.key("ALPHA00001")
        teams = TrustedTeams(directory: folder + "/teams", owner: .rootOrOneself)
        try teams.add(key.certificate)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    static func key(_ team: String, days: Int = 10, now: Date = Date()) throws -> TeamKey {
        try TeamKey(new: #require(TeamIdentifier(team)), days: days, now: now)
    }

    static func entitlements(
        team: String = "ALPHA00001",
        identifier: String? = "ALPHA00001.app",
        groups: [String] = ["ALPHA00001.shared"],
        others: [String: Any] = [:]
    ) throws -> [UInt8] {
        var list: [String: Any] = ["keychain-access-groups": groups, "com.apple.developer.team-identifier": team]
        list["application-identifier"] = identifier
        return Array(
            try PropertyListSerialization.data(fromPropertyList: list.merging(others) { $1 }, format: .xml, options: 0)
        )
    }

    /// Bytes that begin as a program does.
    static func program(_ seed: UInt8 = 1, count: Int = 10_000) -> [UInt8] {
        [0x7F] + Array("ELF".utf8) + (4..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) ^ seed }
    }

    func write(_ bytes: [UInt8], named name: String = "program") throws -> String {
        let path = folder + "/" + name
        try Data(bytes).write(to: URL(filePath: path))
        #expect(chmod(path, 0o755) == 0)
        return path
    }

    /// A program that is signed as it should be.
    func signed(_ program: [UInt8] = SigningFixture.program(), entitlements: [UInt8]? = nil) throws -> [UInt8] {
        let path = try write(program, named: "signed-\(UUID().uuidString)")
        try ProgramSigner.sign(path, entitlements: entitlements ?? Self.entitlements(), with: key)
        return try contents(path)
    }

    func contents(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

    func verdict(on bytes: [UInt8]) throws -> SignatureVerdict {
        try verifier.verdict(ofProgramAt: write(bytes, named: "judged"))
    }

    func trailer(of program: [UInt8]) throws -> ProgramTrailer {
        let path = try write(program, named: "opened")
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        guard case .trailer(let trailer) = try ProgramTrailer.ending(of: descriptor, length: UInt64(program.count))
        else {
            throw KeychainError(.undecodable, "no trailer")
        }
        return trailer
    }

    /// A trailer that the team has signed, without the checks of the command that signs.
    func uncheckedTrailer(
        for program: [UInt8],
        entitlements: [UInt8],
        signedBy key: TeamKey? = nil
    ) throws -> [UInt8] {
        let key = key ?? self.key
        let measured = try ProgramMeasurement(of: program, in: self)
        func trailer(_ signature: [UInt8]) -> ProgramTrailer {
            ProgramTrailer(
                programLength: UInt64(program.count),
                digest: measured.programDigest,
                entitlements: entitlements,
                team: key.team.description,
                certificate: key.certificate.der,
                signature: signature
            )
        }
        return trailer(try key.sign(trailer([]).signedMessage)).bytes
    }
}

extension ProgramMeasurement {
    init(of program: [UInt8], in fixture: SigningFixture) throws {
        let path = try fixture.write(program, named: "measured")
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        try self.init(of: descriptor)
    }
}

extension SignatureVerdict {
    var isSigned: Bool { if case .signed = self { true } else { false } }
    var isTampered: Bool { if case .tampered = self { true } else { false } }
}

extension ProgramTrailer {
    func with(
        programLength: UInt64? = nil,
        entitlements: [UInt8]? = nil,
        team: String? = nil,
        certificate: [UInt8]? = nil
    ) -> ProgramTrailer {
        ProgramTrailer(
            programLength: programLength ?? self.programLength,
            digest: digest,
            entitlements: entitlements ?? self.entitlements,
            team: team ?? self.team,
            certificate: certificate ?? self.certificate,
            signature: signature
        )
    }
}
