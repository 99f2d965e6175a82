import Foundation
import KeychainTestSupport
import Testing

/// What the service remembers of a program it remembers of that file alone, and not of one on another disk that agrees with it in
/// device, inode, size and times.
@Suite(.serialized, .enabled(if: Media.isPossible, "needs root, namespaces, loop devices and mkfs.ext4"))
struct MediaAttackTests {
    private let site: AttackSite

    init() throws {
        site = try AttackSite.shared.get()
    }

    /// Older kernels have no number for the mount: there, the file is watched.
    @Test(arguments: SeenKernel.allCases)
    func `a program on another disk of the same numbers is not taken for the one before (as root, needs loop devices)`(
        _ kernel: SeenKernel
    ) throws {
        let media = try Media(site)

        let forgetful = try AttackedMachine(
            site,
            daemon: "unchecked-daemon",
            options: ["--without", "unique-mount"],
            on: kernel
        )
        #expect(try media.exchange(in: forgetful).contains(site.secret), "without the mount's number it is fooled")

        let whole = try AttackedMachine(site, on: kernel)
        let attacked = try media.exchange(in: whole)
        #expect(!attacked.contains(site.secret))
        #expect(attacked.errors.contains("lost its signature"), "\(attacked.errors)")
    }
}

/// Two disks that agree in all but the bytes of one file: there, a signed program; here, the attacker's.
private struct Media {
    static let isPossible =
        AttackedMachine.obstacle == nil && Command.find("mkfs.ext4") != nil && Machine.succeeds(["losetup", "--find"])

    private let site: AttackSite
    private let signed: String
    private let evil: String

    init(_ site: AttackSite) throws {
        self.site = site
        let folder = site.folder + "/media-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder + "/files", withIntermediateDirectories: true)
        signed = folder + "/signed"
        evil = folder + "/evil"
        // With its owner and its marker, and in one piece.
        try Self.run(["mkfs.ext4", "-q", signed, "16M"])
        let copying = "mount -o loop \"$1\" \"$2\" && cp -p --sparse=never \"$3\" \"$2/program\" && umount \"$2\""
        try Self.run(["unshare", "--mount", "sh", "-c", copying, "sh", signed, folder + "/files", site.victim])

        // The same client, compiled otherwise: nobody has signed it.
        try AttackSite.compile(folder + "/attacker", ["-static", "victim.c", "sha256.c", "-O0"])
        let before = try Data(contentsOf: URL(filePath: site.victim))
        var after = try Data(contentsOf: URL(filePath: folder + "/attacker"))
        guard after.count <= before.count else { throw AttackFailure("the attacker's program is larger") }
        after.append(Data(repeating: 0, count: before.count - after.count))
        var image = try Data(contentsOf: URL(filePath: signed))
        guard let place = image.range(of: before) else { throw AttackFailure("the program lies in pieces") }
        image.replaceSubrange(place, with: after)
        try image.write(to: URL(filePath: evil))
    }

    /// Runs the signed program from one disk, and then the other's, which takes its place.
    func exchange(in machine: AttackedMachine) throws -> Command.Result {
        let place = machine.folder + "/media"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        func root(_ words: [String]) throws -> Command.Result {
            let result = try machine.run(words, as: nil)
            guard result.status == 0 else { throw AttackFailure("\(words): \(result.everything)") }
            return result
        }
        func use(_ device: String) throws -> String {
            _ = try root(["mount", device, place])
            return try root(["stat", "-c", "%d %i %s %y %z %u %g %a", place + "/program"]).text
        }
        func ask(_ request: String) throws -> Command.Result {
            let environment = site.environment.merging([
                "SOCKET": machine.socket, "REQUEST": site.folder + "/\(request).frame",
            ]) { $1 }
            return try machine.run([place + "/program", "get"], environment: environment)
        }
        let device = try root(["losetup", "--find", "--show", signed]).text
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let first = try use(device)
        // What changed a moment ago is not remembered.
        let status = try FileManager.default.attributesOfItem(atPath: signed)
        let made = status[.modificationDate] as? Date ?? .now
        while Date.now.timeIntervalSince(made) < 3 { usleep(50_000) }
        guard try ask("add").status == 0, try ask("find").contains(site.secret) else {
            throw AttackFailure("the signed program does not get its secret")
        }
        _ = try root(["umount", place])
        _ = try root(["losetup", "--detach", device])

        _ = try root(["losetup", device, evil])
        let second = try use(device)
        guard first == second else { throw AttackFailure("they can be told apart: \(first) \(second)") }
        let result = try ask("find")
        _ = try root(["umount", place])
        _ = try root(["losetup", "--detach", device])
        return result
    }

    private static func run(_ words: [String]) throws {
        let result = try Command(words).run()
        guard result.status == 0 else { throw AttackFailure("\(words): \(result.errors)") }
    }
}
