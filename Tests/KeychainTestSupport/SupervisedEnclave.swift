import Foundation
import Glibc

/// chatelaine-enclave as systemd has it: a process of another user with sockets that were made before, started again
/// whenever it ends. Only root can start it, and root is the keychain service here.
package final class SupervisedEnclave: @unchecked Sendable {
    // Unchecked: `process` is made in the initialiser and asked for its state after that.
    private let process = Process()
    /// Ends it all when it is closed, at the latest with this process.
    private let input = Pipe()
    package let servicePath: String
    package let controlPath: String
    private let log: String
    private let directory: String

    /// Nobody's number.
    package static let user: UInt32 = 64_135

    /// - Parameter folder: where sockets, keybags and the log are; all can enter it.
    package init(in folder: String, options: [String] = ["--tpm", "none"]) throws {
        servicePath = folder + "/enclave-service.sock"
        controlPath = folder + "/enclave.sock"
        log = folder + "/log"
        directory = folder + "/enclave"
        let script = """
            import os, signal, socket, sys, threading, time
            def listener(path):
                made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                made.bind(path)
                os.chmod(path, 0o666)
                made.listen(64)
                return made
            sockets = [listener(path) for path in sys.argv[1:3]]
            child = 0
            def wait_for_end():
                sys.stdin.read()
                if child: os.kill(child, signal.SIGKILL)
                os._exit(0)
            threading.Thread(target=wait_for_end, daemon=True).start()
            while True:
                child = os.fork()
                if child == 0:
                    copies = [os.dup(made.fileno()) for made in sockets]
                    for number, copy in enumerate(copies): os.dup2(copy, 3 + number)
                    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='2', LISTEN_FDNAMES='service:control')
                    os.execv(sys.argv[3], sys.argv[3:])
                print('started', flush=True)
                status = os.waitpid(child, 0)[1]
                print('ended', os.waitstatus_to_exitcode(status), flush=True)
                time.sleep(0.2)
            """
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["python3", "-c", script, servicePath, controlPath, ServiceProcess.program("chatelaine-enclave")]
            + ["--user", "\(Self.user)", "--server", "0", "--directory", directory] + options
        process.standardInput = input
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        process.standardError = process.standardOutput
        try process.runHearingSignals()
        try waitUntil("the enclave has started: \(said)") { !process.isRunning || said.contains("started") }
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitForExit()
    }

    /// What the process said, with a line for each of its starts and ends.
    package var said: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    /// The enclave's process, told by its folder from those of other tests; nil while none runs.
    package var child: Int32? {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap(Int32.init) ?? []
        return numbers.first { number in
            let arguments = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") ?? Data()
            let words = arguments.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            return words.first?.hasSuffix("/chatelaine-enclave") == true && words.contains(directory)
        }
    }

    /// How often it has ended by itself, with a failure.
    package var failures: Int { said.components(separatedBy: "ended 1\n").count - 1 }
}
