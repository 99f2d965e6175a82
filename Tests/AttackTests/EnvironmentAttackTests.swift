import Foundation
import Synchronization
import Testing

/// What an installed program's user says in its environment: the C library, Swift's runtime and we heed none of it.
@Suite(.enabled(if: AttackedMachine.obstacle == nil, "needs root, namespaces, setpriv, nsenter and a C compiler"))
struct EnvironmentAttackTests {
    private let machine: AttackedMachine
    private let lures: Lures

    init() throws {
        machine = try AttackedMachine.shared.get()
        lures = try Lures.shared.get()
    }

    // MARK: - The C library

    @Test(arguments: ["static", "dynamic"])
    func `an installed program heeds no variable of the C library (as root)`(_ kind: String) throws {
        let installed = try machine.run([lures.folder + "/\(kind)-installed"], environment: lures.environment)
        #expect(installed.contains("done"), "\(installed.errors)")
        #expect(!installed.everything.contains("LOOT"), "\(installed.everything)")

        let copied = try machine.run([lures.folder + "/\(kind)-copy"], environment: lures.environment)
        for effect in ["allocator", "locale", "catalog", "zone"] {
            #expect(copied.contains("LOOT \(effect)"), "the \(effect) has no effect in a copy: \(copied.everything)")
        }
        // The library of the copy's own comes from the path; the module for characters is loaded by either.
        #expect(copied.everything.components(separatedBy: "LOOT library").count > (kind == "dynamic" ? 2 : 1))
    }

    @Test func `an installed program does not note down what its linker does (as root)`() throws {
        let notes = machine.home + "/notes"
        try FileManager.default.createDirectory(
            atPath: notes,
            withIntermediateDirectories: true,
            attributes: [.ownerAccountID: AttackSite.user]
        )
        func run(_ name: String) throws -> Command.Result {
            try machine.run(
                [lures.folder + "/dynamic-" + name],
                environment: [
                    "LD_DEBUG": "all", "LD_DEBUG_OUTPUT": notes + "/debug", "LD_PROFILE": "libc.so.6",
                    "LD_PROFILE_OUTPUT": notes, "LD_SHOW_AUXV": "1", "LD_BIND_NOT": "1", "LD_BIND_NOW": "1",
                    "LD_DYNAMIC_WEAK": "1", "LD_HWCAP_MASK": "0", "LD_ORIGIN_PATH": notes,
                ]
            )
        }
        func written() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: notes) }
        let installed = try run("installed")
        #expect(installed.contains("done"))
        // LD_PROFILE is heeded by some versions of glibc: they write how often functions were called into /var/profile, if it
        // is there.
        #expect(try written().isEmpty)
        #expect(!installed.everything.contains("AT_"), "\(installed.everything)")

        let copied = try run("copy")
        #expect(copied.everything.contains("AT_"))
        let names = try written()
        #expect(names.contains { $0.hasPrefix("debug") } && names.contains("libc.so.6.profile"), "\(names)")
    }

    // MARK: - Programs in Swift

    /// Ways to say to a program that its keychain is elsewhere.
    private func redirections(to folder: String) -> [[String: String]] {
        [
            ["CHATELAINE_KEYCHAIN": "embedded:\(folder)/keychain"],
            ["CHATELAINE_KEYCHAIN": "memory:"],
            ["CHATELAINE_KEYCHAIN": "unix:\(folder)/keychain.sock"],
            ["XDG_DATA_HOME": folder, "XDG_RUNTIME_DIR": folder, "HOME": folder, "TMPDIR": folder],
            ["CHATELAINE_ENTITLEMENTS": folder + "/entitlements", "CHATELAINE_LOG": "debug"],
            ["SWIFT_ROOT": folder, "SWIFT_DETERMINISTIC_HASHING": "1", "SWIFT_DEBUG_ENABLE_MALLOC_SCRIBBLE": "1"],
            ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/bus", "SSL_CERT_FILE": folder + "/anchors"],
        ]
    }

    @Test func `an installed Swift program keeps its secret where it always does (as root)`() throws {
        let program = try machine.install("attacked-program", groups: ["elsewhere"])
        let secret = "KEPT-\(UUID().uuidString)"
        #expect(try machine.run([program, "store", secret]).status == 0)
        let folder = try lures.emptyFolder()
        // A list that names the attacker's own groups.
        let list =
            "<plist version=\"1.0\"><dict><key>keychain-access-groups</key><array><string>x</string></array></dict></plist>"
        try Data(list.utf8).write(to: URL(filePath: folder + "/entitlements"))

        for redirection in redirections(to: folder) {
            let environment = lures.environment.merging(redirection) { $1 }
            let found = try machine.run([program, "find"], environment: environment)
            #expect(found.contains(secret), "\(redirection): \(found.everything)")
            #expect(!found.everything.contains("LOOT"), "\(redirection): \(found.everything)")
            // It is there already, in whatever keychain it takes.
            let stored = try machine.run([program, "store", "again"], environment: environment)
            #expect(stored.contains("stored: -25299"), "\(redirection): \(stored.everything)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["entitlements"])
    }

    @Test func `a program that is not installed goes where its environment says (as root)`() throws {
        let program = try machine.plain("attacked-program")
        let folder = try lures.emptyFolder()
        let redirections = redirections(to: folder)
        let stored = try machine.run([program, "store", "elsewhere"], environment: redirections[0])
        #expect(stored.contains("stored: 0"), "\(stored.everything)")
        #expect(FileManager.default.fileExists(atPath: folder + "/keychain"))
        #expect(try machine.run([program, "find"], environment: redirections[1]).contains("not found"))
        #expect(try machine.run([program, "find"], environment: redirections[2]).contains("not found"))
        let loaded = try machine.run(
            [program, "find"],
            environment: ["LD_PRELOAD": lures.folder + "/libs/libprogram.so"]
        )
        #expect(loaded.contains("LOOT library"), "\(loaded.everything)")
    }

    /// Swift's runtime reads its switches in programs with rights of their own too. This is what they can do.
    @Test
    func
        `an installed Swift program heeds switches of Swift's runtime, none of which shows or loads anything (as root)`()
        throws
    {
        let program = try machine.install("attacked-program", groups: ["switches"])
        #expect(try machine.run([program, "store", "KEPT-switches"]).status == 0)
        let help = try machine.run([program, "find"], environment: ["SWIFT_DEBUG_HELP": "YES"])
        let names = help.everything.split(separator: "\n").compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("SWIFT_") && !$0.contains("=") }.map(String.init)
        }
        #expect(names.count > 10 && names.contains("SWIFT_BACKTRACE"), "\(help.everything)")
        for name in names where name != "SWIFT_BINARY_COMPATIBILITY_VERSION" {
            for value in ["1", lures.folder + "/libs/libprogram.so"] {
                let result = try machine.run([program, "find"], environment: [name: value])
                #expect(result.contains("KEPT-switches"), "\(name): \(result.everything)")
                #expect(!result.everything.contains("LOOT"), "\(name)")
            }
        }
    }
}

/// What an attacker has ready: libraries, modules, locales, catalogs, zones; and a program that uses all of it, installed and
/// not.
private final class Lures: Sendable {
    static let shared = Result { try Lures(AttackedMachine.shared.get()) }

    let folder: String
    private let home: String
    private let count = Mutex(0)

    init(_ machine: AttackedMachine) throws {
        folder = machine.folder + "/lures"
        home = machine.home
        for name in ["gconv", "libs", "locales", "zones", "own"] {
            try FileManager.default.createDirectory(
                atPath: folder + "/" + name,
                withIntermediateDirectories: true
            )
        }
        try AttackSite.compile(folder + "/gconv/loot.so", ["-shared", "-fPIC", "trace.c"])
        try AttackSite.compile(
            folder + "/libs/libprogram.so",
            ["-shared", "-fPIC", "-Wl,-soname,libprogram.so", "trace.c"]
        )
        try write("module INTERNAL LOOT// loot 1\nmodule LOOT// INTERNAL loot 1\n", to: "gconv/gconv-modules")
        try FileManager.default.copyItem(atPath: "/usr/lib/locale/C.utf8", toPath: folder + "/locales/loot")
        try write("$set 1\n1 evil\n", to: "messages")
        let catalog = try Command(["gencat", folder + "/loot.cat", folder + "/messages"]).run()
        guard catalog.status == 0 else { throw AttackFailure(catalog.errors) }
        // RFC 9636: a zone of one kind of time and no changes.
        let zone =
            Array("TZif".utf8) + Array(repeating: 0, count: 16)
            + [0, 0, 0, 0, 1, 5].flatMap { [0, 0, 0, UInt8($0)] } + [0, 0, 14, 16, 0, 0] + Array("LOOT\0".utf8)
        try Data(zone).write(to: URL(filePath: folder + "/zones/Loot"))

        let library = folder + "/own/libprogram.so"
        try AttackSite.compile(library, ["-shared", "-fPIC", "-Wl,-soname,libprogram.so", "library.c"])
        try AttackSite.compile(folder + "/static-copy", ["-static", "surroundings.c"])
        try AttackSite.compile(
            folder + "/dynamic-copy",
            ["-DHAS_LIBRARY", "surroundings.c", library, "-Wl,-rpath,\(folder)/own"]
        )
        for kind in ["static", "dynamic"] {
            let path = folder + "/\(kind)-installed"
            try FileManager.default.copyItem(atPath: folder + "/\(kind)-copy", toPath: path)
            try machine.sign(path, groups: ["surroundings"])
        }
    }

    var environment: [String: String] {
        [
            "GCONV_PATH": folder + "/gconv", "LOCPATH": folder + "/locales", "LC_ALL": "loot",
            "NLSPATH": folder + "/%N.cat", "TZDIR": folder + "/zones", "TZ": "Loot",
            "GLIBC_TUNABLES": "glibc.malloc.perturb=165:glibc.malloc.check=3", "MALLOC_PERTURB_": "90",
            "MALLOC_ARENA_MAX": "1", "MALLOC_TOP_PAD_": "1", "MALLOC_TRACE": home + "/trace",
            "LD_LIBRARY_PATH": folder + "/libs", "HOSTALIASES": folder + "/aliases",
            "RES_OPTIONS": "debug", "LOCALDOMAIN": "loot", "RESOLV_HOST_CONF": folder + "/host.conf",
            "GETCONF_DIR": folder, "NIS_PATH": folder,
        ]
    }

    /// Where the attacker, and the program, may write.
    func emptyFolder() throws -> String {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let path = home + "/elsewhere-\(number)"
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.ownerAccountID: AttackSite.user, .groupOwnerAccountID: AttackSite.user]
        )
        return path
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
    }
}
