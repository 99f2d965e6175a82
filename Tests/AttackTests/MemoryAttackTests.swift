import Foundation
import KeychainTestSupport
import Testing

/// Four users who mean to have the service ended for want of memory: `Benchmarks/memory.sh`, as a test.
@Suite(
    .enabled(
        if: HogFrames.obstacle == nil,
        "needs root, namespaces, setpriv, nsenter, a C compiler and python3"
    ),
    .serialized
)
struct MemoryAttackTests {
    private static let users = 64_150..<64_154

    /// In MiB: half of the unit's `MemoryMax=`. The budgets give 368 away, and the service has some 60 beside them.
    ///
    /// Measured in debug builds, on a busy machine: 369 in four runs, with two to sixteen connections of a user in the second
    /// wave, and 272, 333, 333 where so much else ran that more requests were refused; 393 once, in the whole benchmark. Without
    /// budgets: 821 with two connections, 1,166 with three, 1,365 with four.
    private static let bound = 512

    /// The largest messages, of which each takes several times its length, and the largest answers, which nobody reads for a
    /// while: how many connections of each user, milliseconds before they read, and what is sent.
    private static let waves: [(connections: Int, pause: Int, frames: [String])] = [
        (1, 0, ["large", "many"]), (3, 100, ["many", "find-large", "find-many"]),
    ]

    /// The most memory that a process has had.
    private func most(_ process: Int32) throws -> Int {
        let status = try KernelFile.text("/proc/\(process)/status")
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1])) >> 10
    }

    /// Has all users send everything.
    ///
    /// - Parameter isEnough: told of the most memory that the service had so far, in MiB; ends the attack.
    /// - Returns: the most that it had.
    private func attack(_ machine: AttackedMachine, _ service: String, until isEnough: (Int) -> Bool) throws -> Int {
        let process = try #require(machine.processes(named: service).first)
        let hog = machine.folder + "/hog"
        try AttackSite.compile(hog, ["-static", "hog.c", "sha256.c"])
        let frames = machine.folder + "/frames"
        try HogFrames.write(to: frames)
        let environment = [
            "SOCKET": machine.socket, "AUTH": machine.site.folder + "/authentication.frame", "QUIET": "300",
        ]
        for wave in Self.waves {
            let words = [hog, "\(wave.connections)", "\(wave.pause)"] + wave.frames.map { frames + "/\($0).frame" }
            let lines = Self.users.map { uid in
                Command(words, as: UInt32(uid), environment: environment).words.joined(separator: " ") + " &\n"
            }
            let crowd = try RunningProgram(
                machine.command(["sh", "-c", lines.joined() + "wait"], as: nil, patience: 180),
                in: machine.folder,
                until: nil
            )
            while crowd.isRunning {
                if try isEnough(most(process)) {
                    crowd.stop()
                    return try most(process)
                }
                usleep(20_000)
            }
            let answers = crowd.text.split(separator: "\n").count { $0.hasPrefix("sent") || $0.hasPrefix("cut") }
            #expect(answers >= Self.users.count * wave.connections, "\(crowd.text)")
        }
        return try most(process)
    }

    @Test func `four users with the largest requests and answers keep the service below its bound (as root)`() throws {
        let machine = try AttackedMachine(AttackSite.shared.get())
        let most = try attack(machine, "chatelained") { _ in false }
        #expect(most < Self.bound, "\(most) MiB")
        // It is still there, for others too.
        let program = try machine.plain("attacked-program")
        #expect(try machine.run([program, "store", "kept"]).status == 0)
        #expect(try machine.run([program, "find"]).contains("kept"))
    }

    @Test func `without budgets the same users bring it beyond that (as root)`() throws {
        let machine = try AttackedMachine(
            AttackSite.shared.get(),
            daemon: "unchecked-daemon",
            options: ["--without-budgets"]
        )
        let most = try attack(machine, "unchecked-daemon") { $0 > Self.bound * 5 / 4 }
        #expect(most > Self.bound * 5 / 4, "\(most) MiB")
    }
}

/// The requests of `Benchmarks/memory.sh`.
private enum HogFrames {
    static let obstacle =
        AttackedMachine.obstacle ?? (FileManager.default.isExecutableFile(atPath: python) ? nil : "needs python3")
    private static let python = "/usr/bin/python3"

    static func write(to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let benchmarks = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Benchmarks").path
        let written = try Command([python, benchmarks + "/memory-frames.py", folder]).run()
        guard written.status == 0 else { throw AttackFailure(written.errors) }
    }
}
