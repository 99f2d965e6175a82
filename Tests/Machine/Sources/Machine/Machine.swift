import Foundation
import Synchronization

/// A machine in an emulator, with a TPM, consoles at which people log in, and an agent that runs what root would.
package final class Machine: Sendable {
    /// What becomes of what the machine writes.
    package enum Disk: Sendable {
        /// It can be brought back to a moment that was saved.
        case remembering
        /// What was not flushed is lost when the power is cut, as with a disk that has a cache.
        case losing
    }

    private struct Running {
        let emulator: ChildProcess
        let helpers: [ChildProcess]
        let monitor: Monitor
        let agent: Agent
        let consoles: [Console]
    }

    private struct State {
        var running: Running?
        var transcript: Transcript
        var starts = 0
    }

    package let image: Image
    /// Its own files, gone at the next machine of that name.
    package let folder: String
    private let disk: Disk
    private let accelerator: Accelerator
    private let state: Mutex<State>

    /// - Parameters:
    ///   - name: of the folder for its files.
    ///   - isKept: its files are there from an earlier run.
    ///   - other: a machine, switched off, whose disk this one gets a copy of. Its TPM it does not get.
    package init(
        _ image: Image,
        name: String,
        disk: Disk = .remembering,
        isKept: Bool = false,
        copying other: Machine? = nil
    ) throws {
        self.image = image
        self.disk = disk
        folder = try image.workFolder(name, isKept: isKept)
        state = Mutex(State(transcript: try Transcript(image.transcriptPath(name))))
        accelerator = other?.accelerator ?? .found(for: image, in: folder)
        if isKept { return }
        try FileManager.default.createDirectory(atPath: folder + "/tpm", withIntermediateDirectories: true)
        switch (disk, other) {
        case (_, let other?):
            guard other.state.withLock({ $0.running == nil }) else { throw Failure("that machine is still running") }
            try FileManager.default.copyItem(atPath: other.diskPath, toPath: diskPath)
        case (.remembering, nil):
            try run(["qemu-img", "create", "-q", "-f", "qcow2", "-b", image.disk, "-F", "raw", diskPath])
        case (.losing, nil): try run(["cp", "--sparse=always", image.disk, diskPath])
        }
    }

    deinit { cutPower() }

    private var diskPath: String { folder + (disk == .remembering ? "/disk.qcow2" : "/disk.raw") }
    private var log: String { folder + "/programs.log" }

    // MARK: - Power

    /// Switches it on, and waits until the agent answers.
    ///
    /// - Parameters:
    ///   - moment: one that was saved, to go on from.
    ///   - kernelArguments: more of them.
    package func start(at moment: String? = nil, kernelArguments: String = "", seconds: Double = 600) throws {
        guard state.withLock({ $0.running == nil }) else { throw Failure("it is running already") }
        for socket in ["qmp", "agent", "hvc0", "hvc1", "tpm.sock", "nbd.sock"] {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(socket)")
        }
        var helpers = [
            try ChildProcess(
                [
                    "swtpm", "socket", "--tpm2", "--tpmstate", "dir=\(folder)/tpm", "--ctrl",
                    "type=unixio,path=\(folder)/tpm.sock", "--flags", "startup-clear", "--terminate",
                ],
                log: log
            )
        ]
        if disk == .losing {
            helpers.append(
                try ChildProcess(
                    [
                        "nbdkit", "--foreground", "--exit-with-parent", "--unix", "\(folder)/nbd.sock",
                        "--filter=cache",
                        "file", diskPath, "cache=writeback",
                    ],
                    log: log
                )
            )
            try waitForSocket("nbd.sock")
        }
        try waitForSocket("tpm.sock")
        let emulator = try ChildProcess(emulatorWords(moment, kernelArguments), log: log)
        do {
            let running = Running(
                emulator: emulator,
                helpers: helpers,
                monitor: try Monitor(folder + "/qmp"),
                agent: try Agent(folder + "/agent"),
                consoles: try ["hvc0", "hvc1"].map { name in
                    try Console("\(folder)/\(name)", name: name) { [weak self] in
                        self?.transcript ?? .nowhere
                    }
                }
            )
            state.withLock {
                $0.running = running
                $0.starts += 1
            }
            try running.agent.greet(seconds: seconds)
        } catch {
            cutPower()
            emulator.kill()
            helpers.forEach { $0.kill() }
            let said = (try? String(contentsOfFile: folder + "/serial.log", encoding: .utf8)) ?? ""
            throw Failure("it does not start: \(error)\n\(said.suffix(3_000))")
        }
    }

    private func waitForSocket(_ name: String) throws {
        let path = "\(folder)/\(name)"
        try waited(for: path, seconds: 20) { FileManager.default.fileExists(atPath: path) ? () : nil }
    }

    private func emulatorWords(_ moment: String?, _ kernelArguments: String) -> [String] {
        let drive =
            switch disk {
            case .remembering: "file=\(diskPath),format=qcow2,if=virtio,cache=writeback"
            case .losing: "file=nbd:unix:\(folder)/nbd.sock,format=raw,if=virtio,cache=writeback"
            }
        var words =
            ["qemu-system-x86_64"] + accelerator.arguments + [
                "-machine", "q35", "-global", "ICH9-LPC.disable_s3=0", "-m", "1536", "-smp", "2", "-kernel",
                image.kernel, "-initrd", image.initrd, "-append",
                "root=/dev/vda rw console=ttyS0 quiet \(kernelArguments)", "-drive", drive, "-drive",
                "file=\(image.tests),format=raw,if=virtio,readonly=on", "-nic", "user,model=virtio-net-pci", "-display",
                "none", "-vga", "none", "-serial", "file:\(folder)/serial.log", "-qmp",
                "unix:\(folder)/qmp,server=on,wait=off",
                "-device", "virtio-serial", "-device", "virtio-rng-pci", "-no-reboot", "-chardev",
                "socket,id=agent,path=\(folder)/agent,server=on,wait=off", "-device",
                "virtserialport,chardev=agent,name=org.chatelaine.agent", "-chardev",
                "socket,id=tpm,path=\(folder)/tpm.sock", "-tpmdev", "emulator,id=tpm0,chardev=tpm", "-device",
                "tpm-tis,tpmdev=tpm0",
            ]
        for name in ["hvc0", "hvc1"] {
            words += ["-chardev", "socket,id=\(name),path=\(folder)/\(name),server=on,wait=off"]
            words += ["-device", "virtconsole,chardev=\(name)"]
        }
        return moment.map { words + ["-loadvm", $0] } ?? words
    }

    /// Ends the emulator, and with it whatever the machine was doing.
    package func cutPower() {
        guard let running = takeRunning() else { return }
        // The disk's cache first, for what is in the emulator is not on its way to it alone.
        running.helpers.reversed().forEach { $0.kill() }
        running.emulator.kill()
        forget(running)
    }

    /// Shuts it down as its owner would, and waits for it.
    package func shutDown() throws {
        _ = try? root("systemctl poweroff --no-block", seconds: 30)
        guard let running = takeRunning() else { throw Failure("it is not running") }
        defer {
            running.emulator.kill()
            running.helpers.forEach { $0.kill() }
            forget(running)
        }
        try running.emulator.wait(seconds: 300)
    }

    package func restart() throws {
        try shutDown()
        try start()
    }

    private func takeRunning() -> Running? {
        state.withLock { state in
            defer { state.running = nil }
            return state.running
        }
    }

    private func forget(_ running: Running) {
        running.agent.end()
        running.monitor.end()
        running.consoles.forEach { $0.end() }
    }

    // MARK: - Moments

    /// Saves all of its state under a name.
    package func save(_ moment: String) throws { try running().monitor.command("savevm \(moment)") }

    /// Brings it back to a saved moment; starts it where it is off.
    package func restore(_ moment: String) throws {
        cutPower()
        try start(at: moment)
    }

    /// Has it sleep (ACPI's S3), and wakes it.
    package func sleepAndWake() throws {
        let before = try root("date +%s").text
        try root("systemctl suspend --no-block")
        try waited(for: "the machine's sleep", seconds: 120) {
            let status = try running().monitor.execute("query-status") as? [String: Any]
            return status?["status"] as? String == "suspended" ? () : nil
        }
        try running().monitor.execute("system_wakeup")
        try root("[ $(date +%s) -ge \(before.trimmingCharacters(in: .newlines)) ]", seconds: 120)
    }

    // MARK: - What is done there

    /// Runs a script as root.
    ///
    /// - Throws: where it ends with another status than expected; nil is any.
    @discardableResult package func root(
        _ script: String,
        status expected: Int32? = 0,
        seconds: Double = 120,
        heard: (@Sendable (String) -> Void)? = nil
    ) throws -> Output {
        transcript.add("# \(script)")
        let output = try running().agent.run(script, seconds: seconds, heard: heard)
        transcript.add("\(output.text)\(output.status == 0 ? "" : "\n? \(output.status)")")
        guard expected == nil || output.status == expected else {
            throw Failure("\(script): status \(output.status), and not \(expected ?? 0): \(output.text)")
        }
        return output
    }

    /// Runs a script as somebody, with no session of theirs.
    @discardableResult package func run(
        as user: String,
        _ script: String,
        status expected: Int32? = 0,
        seconds: Double = 120
    ) throws -> Output {
        try root(
            "HOME=$(getent passwd \(user) | cut -d : -f 6) runuser -u \(user) -- bash -c \(script.quoted)",
            status: expected,
            seconds: seconds
        )
    }

    /// A terminal: 0 or 1.
    package func console(_ number: Int) throws -> Console { try running().consoles[number] }

    /// Where what is done from now on is written.
    package func write(to transcript: Transcript) { state.withLock { $0.transcript = transcript } }

    private var transcript: Transcript { state.withLock { $0.transcript } }

    private func running() throws -> Running {
        guard let running = state.withLock({ $0.running }) else { throw Failure("it is switched off") }
        return running
    }

    private func run(_ words: [String]) throws { try ChildProcess.run(words, log: log) }
}

extension String {
    /// As one word for a shell.
    package var quoted: String { "'" + replacing("'", with: "'\\''") + "'" }
}
