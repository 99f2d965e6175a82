import Foundation
import FuzzSupport

@testable import CodeSignature
@testable import KeychainModel
@testable import KeychainTrailer

/// What stands in a program's file and in a team's. The first byte of an input chooses: the end of a file, a trailer whose
/// mark is right, entitlements, a certificate, or an ELF file.
///
/// A trailer that is taken is written as it was read; entitlements that are taken name the team's own groups and no others;
/// all else is refused, and nothing else happens.
@main
enum FuzzSignatures: FuzzTarget {
    static func run(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        let kind = source.byte() % 5
        let contents = source.rest()
        switch kind {
        case 0: try readEnding(contents)
        case 1: try readEnding(contents + mark(contents.count))
        case 2: readEntitlements(contents)
        case 3: readCertificate(contents)
        default: try readProgram(contents)
        }
    }

    private static let team: TeamIdentifier = {
        guard let team = TeamIdentifier("TEAM") else { preconditionFailure("no team") }
        return team
    }()

    /// A file without a name, for what reads descriptors.
    private static let file: Int32 = {
        var path = Array("/tmp/fuzz-signatures-XXXXXX\0".utf8CString)
        let descriptor = mkstemp(&path)
        unlink(path)
        require(descriptor >= 0, "there is a file")
        return descriptor
    }()

    private static func write(_ bytes: [UInt8]) {
        require(ftruncate(file, 0) == 0, "the file can be emptied")
        require(pwrite(file, bytes, bytes.count, 0) == bytes.count, "the file can be written")
    }

    private static func mark(_ count: Int) -> [UInt8] {
        TrailerMark(version: ProgramTrailer.version, trailerLength: UInt32(clamping: count + TrailerMark.length)).bytes
    }

    private static func readEnding(_ bytes: [UInt8]) throws {
        write(bytes)
        let program = try ProgramMeasurement(of: file)
        guard case .trailer(let trailer) = program.ending else { return }
        require(bytes.suffix(trailer.bytes.count).elementsEqual(trailer.bytes), "a trailer is written as it was read")
        require(trailer.programLength + UInt64(trailer.bytes.count) == UInt64(bytes.count), "it follows the program")
        require(TeamIdentifier(trailer.team) != nil, "a team has a name")
    }

    private static func readEntitlements(_ bytes: [UInt8]) {
        do throws(KeychainError) {
            let (identifier, groups) = try SignedEntitlements.read(bytes, of: team)
            let names = AccessGroups(groups)
            require(names.wildcards.isEmpty && names.names.count == Set(names.names).count, "no group is a wildcard")
            require(groups.contains(identifier), "a program has its own items")
            require(groups.allSatisfy { $0.utf8.starts(with: "TEAM.".utf8) && $0.utf8.count > 5 }, "all are the team's")
        } catch {
            require(error.code == .missingEntitlement, "what is refused is refused as entitlements")
        }
        _ = try? EntitlementsTemplate.complete(Data(bytes), team: team, identifier: "app")
    }

    private static func readCertificate(_ bytes: [UInt8]) {
        if let certificate = try? TeamCertificate(der: bytes) {
            require(certificate.der == bytes, "a certificate is what was read")
            _ = certificate.isSignature([UInt8](repeating: 1, count: 64), of: [])
        }
        _ = try? TeamCertificate(pem: String(decoding: bytes, as: UTF8.self))
    }

    private static func readProgram(_ bytes: [UInt8]) throws {
        write(bytes)
        do throws(KeychainError) {
            let program = try ElfFile(file, size: UInt64(bytes.count))
            require(!program.needed.contains { $0.utf8.contains(0) }, "names end at a zero")
        } catch {
            require(error.code == .invalidParameter, "what is no program is refused as such")
        }
    }

    static func seeds() throws -> [String: [UInt8]] {
        let key = try TeamKey(new: team)
        let list: [String: Any] = [
            "keychain-access-groups": ["TEAM.shared"], "application-identifier": "TEAM.app",
            "com.apple.developer.team-identifier": "TEAM",
        ]
        let entitlements = Array(try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0))
        let path = FileManager.default.temporaryDirectory.path + "/fuzz-signatures-\(UUID().uuidString)"
        let program = Array(try Data(contentsOf: URL(filePath: "/bin/true")).prefix(4096))
        try Data(program).write(to: URL(filePath: path))
        defer { unlink(path) }
        try ProgramSigner.sign(path, entitlements: entitlements, with: key)
        let signed = Array(try Data(contentsOf: URL(filePath: path)))
        return [
            "signed-program": [0] + signed, "trailer": [0] + signed.dropFirst(program.count),
            "trailer-without-mark": [1] + signed.dropLast(TrailerMark.length), "entitlements": [2] + entitlements,
            "certificate": [3] + key.certificate.der, "certificate-pem": [3] + Array(key.certificate.pem.utf8),
            "program": [4] + Array(try Data(contentsOf: URL(filePath: "/bin/true"))),
        ]
    }
}
