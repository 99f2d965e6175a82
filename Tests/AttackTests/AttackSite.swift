import CodeSignature
import Foundation
import KeychainModel
import KeychainProtocol
import KeychainTestSupport

/// A folder that only root can write to, with a signed, installed program in it, and with programs that attack it.
final class AttackSite: Sendable {
    static let shared = Result { try AttackSite() }

    /// The user of the victim and of the attacker; those of the service.
    static let user: UInt32 = 64_110
    static let service: UInt32 = 64_111
    static let identify: UInt32 = 64_112
    static let markerGroup: UInt32 = 64_113
    static let enclave: UInt32 = 64_114

    /// Why the attacks cannot be made on this machine, or nil.
    static let obstacle: String? = {
        if let obstacle = SystemMode.obstacle { return obstacle }
        if Command.find("setpriv") == nil { return "needs setpriv" }
        if compiler == nil { return "needs a C compiler" }
        return nil
    }()

    private static let compiler = ["gcc", "clang"].lazy.compactMap { Command.find($0) }.first

    let folder: String
    /// What the victim keeps from everybody.
    let secret = "LOOT-\(UUID().uuidString)"

    private init() throws {
        folder = "/opt/chatelaine-attacks-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder + "/teams", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            atPath: folder + "/attackers",
            withIntermediateDirectories: true,
            attributes: [.ownerAccountID: Self.user, .groupOwnerAccountID: Self.user]
        )
        AtEnd.remove(folder)
        try writeFrames()
        try compile()
        try sign()
    }

    var victim: String { folder + "/victim" }
    /// The same with shared libraries, one of them its own: `library`.
    var dynamicVictim: String { folder + "/dynamic-victim" }
    var library: String { folder + "/libprogram.so" }
    var attacker: String { folder + "/attacker" }
    /// Brings an attack into whatever loads it.
    var loot: String { folder + "/loot.so" }
    /// The attacker's own copy of the dynamic victim, and one that finds its library beside itself.
    var copy: String { folder + "/attackers/copy" }
    /// Signed by a team that nobody trusts, with the victim's entitlements.
    var impostor: String { folder + "/impostor" }

    var environment: [String: String] {
        [
            "AUTH": folder + "/authentication.frame", "REQUEST": folder + "/find.frame", "VICTIM": victim,
            "LIBRARY": library, "LOOT_LIBRARY": loot, "PATH": "/usr/bin:/bin",
        ]
    }

    // MARK: - Frames

    private func writeFrames() throws {
        for (name, bytes) in try AttackFrames.all(storing: secret) {
            try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
        }
    }

    // MARK: - Programs

    /// Compiles programs of `Tests/AttackPrograms`.
    static func compile(_ output: String, _ arguments: [String]) throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "AttackPrograms").path
        let words =
            [compiler ?? "cc", "-O1", "-o", output]
            + arguments.map { $0.hasSuffix(".c") ? sources + "/" + $0 : $0 }
        let result = try Command(words).run()
        guard result.status == 0 else { throw AttackFailure(result.errors) }
    }

    private func compile() throws {
        let compile = Self.compile
        try compile(victim, ["-static", "victim.c", "sha256.c"])
        try compile(
            attacker,
            ["-static", "attacker.c", "namespaces.c", "filters.c", "tracing.c", "sha256.c"]
        )
        try compile(loot, ["-shared", "-fPIC", "loot.c", "sha256.c"])
        try compile(library, ["-shared", "-fPIC", "-Wl,-soname,libprogram.so", "library.c"])
        let linked = ["-DHAS_LIBRARY", "victim.c", "sha256.c", library]
        try compile(dynamicVictim, linked + ["-Wl,-rpath,\(folder)"])
        try compile(folder + "/origin-victim", linked + ["-Wl,-rpath,$ORIGIN"])
        try compile(impostor, ["-static", "victim.c", "sha256.c"])
    }

    private func sign() throws {
        func team(_ name: String) throws -> TeamKey {
            guard let identifier = TeamIdentifier(name) else { throw AttackFailure("\(name) is no team") }
            return try TeamKey(new: identifier)
        }
        func sign(_ path: String, with key: TeamKey, group: String = "T0TEAM.victim") throws {
            let list = """
                <plist version="1.0"><dict><key>keychain-access-groups</key>
                <array><string>\(group)</string></array></dict></plist>
                """
            let entitlements = try EntitlementsTemplate.complete(Data(list.utf8), team: key.team, identifier: "victim")
            try ProgramSigner.sign(path, entitlements: entitlements, with: key)
        }
        let key = try team("T0TEAM")
        let teams = TrustedTeams(directory: folder + "/teams")
        try teams.add(key.certificate)
        let verifier = SignatureVerifier(teams: teams)
        for path in [victim, dynamicVictim, folder + "/origin-victim"] {
            try sign(path, with: key)
            _ = try ProgramInstaller.install(path, markerGroup: Self.markerGroup, verifier: verifier)
        }
        try spoil(victim, as: "changed") { $0[$0.count / 3] ^= 1 }
        try spoil(victim, as: "cut-off") { $0.removeLast(100) }
        try spoil(victim, as: "doubled") { $0 += $0.suffix(4_000) }
        // A key that anybody can make, with the same name for the team.
        try sign(impostor, with: team("T0TEAM"))
        try mark(impostor)
        let originVictim = folder + "/origin-victim"
        let copies = [("copy", dynamicVictim), ("origin-copy", originVictim), ("moved-copy", originVictim)]
        for (name, original) in copies {
            let copy = folder + "/attackers/" + name
            try FileManager.default.copyItem(atPath: original, toPath: copy)
            chown(copy, Self.user, Self.user)
            chmod(copy, 0o755)
        }
        try FileManager.default.copyItem(atPath: loot, toPath: folder + "/attackers/libprogram.so")
        // For the attacker to run, and to put another file in its place.
        let own = folder + "/attackers/attacker"
        try FileManager.default.copyItem(atPath: attacker, toPath: own)
        chown(own, Self.user, Self.user)
    }

    /// A program that an administrator had marked before somebody changed it.
    private func spoil(_ path: String, as name: String, _ change: (inout [UInt8]) -> Void) throws {
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        change(&bytes)
        try Data(bytes).write(to: URL(filePath: folder + "/" + name))
        try mark(folder + "/" + name)
    }

    private func mark(_ path: String) throws {
        guard chown(path, 0, Self.markerGroup) == 0, chmod(path, 0o2755) == 0 else { throw AttackFailure(path) }
    }
}

struct AttackFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
