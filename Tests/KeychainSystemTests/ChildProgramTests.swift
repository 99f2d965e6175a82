import Foundation
import Glibc
import KeychainSystem
import Testing

@Suite("Programs that are started")
struct ChildProgramTests {
    /// Runs a script, and returns what it prints.
    private func output(
        of script: String,
        environment: [String]? = nil,
        input: ChildProgram.Input = .nothing,
        descriptors: [Int32] = []
    ) throws -> (text: String, ending: ChildProgram.Ending) {
        let reader: Descriptor
        let child: Int32
        do {
            let (end, writer) = try Descriptor.pipe()
            reader = end
            child = try ChildProgram.start(
                "/bin/sh",
                ["-c", script, "a b", "c"],
                environment: environment,
                input: input,
                output: writer,
                descriptors: descriptors
            )
        }
        let text = String(decoding: try reader.prefix(1 << 20), as: UTF8.self)
        return (text, ChildProgram.wait(for: child))
    }

    @Test func `arguments, environment and descriptors arrive as they are`() throws {
        let (reader, writer) = try Descriptor.pipe()
        try writer.write(Array("over a pipe\n".utf8))
        let (text, ending) = try output(
            of: #"echo "$0|$1|$NAME|$HOME"; head -n 1 <&3"#,
            environment: ["NAME=value with = and spaces"],
            descriptors: [reader.number]
        )
        #expect(text == "a b|c|value with = and spaces|\nover a pipe\n")
        #expect(ending == .status(0))
    }

    @Test func `a program has the environment of this process where none is given`() throws {
        #expect(ChildProgram.ownEnvironment.contains { $0.hasPrefix("PATH=") })
        #expect(try output(of: #"echo "$PATH""#).text == ProcessInfo.processInfo.environment["PATH"].map { $0 + "\n" })
    }

    @Test func `a descriptor that a library has left open is not the program's`() throws {
        let left = fcntl(STDERR_FILENO, F_DUPFD, 100)
        defer { close(left) }
        try #require(left >= 100 && fcntl(left, F_GETFD) & FD_CLOEXEC == 0)
        let look = "for fd in 3 \(left); do [ -e /proc/$$/fd/$fd ] && echo $fd; done; true"
        #expect(try output(of: look, descriptors: [left]).text == "3\n")
        #expect(try output(of: look).text == "")
    }

    @Test func `nothing is on its standard input`() throws {
        #expect(try output(of: "cat; echo end").text == "end\n")
    }

    @Test func `its end is told, by itself or by a signal`() throws {
        #expect(try output(of: "exit 7").ending == .status(7))
        #expect(try output(of: "kill -KILL $$").ending == .signal(SIGKILL))
        #expect(ChildProgram.Ending.signal(SIGTERM).shellStatus == 143)
        #expect(ChildProgram.Ending.status(7).shellStatus == 7)
        #expect(ChildProgram.wait(for: getpid()) == .unknown)
    }

    @Test func `a program that is not there is an error, at once`() {
        let error = #expect(throws: SystemError.self) { try ChildProgram.start("/nowhere/program", []) }
        #expect(error?.code == ENOENT)
        #expect(ChildProgram.become("/nowhere/program", ["program"]).code == ENOENT)
        #expect(ChildProgram.isExecutable("/bin/sh") && !ChildProgram.isExecutable("/etc/passwd"))
    }
}
