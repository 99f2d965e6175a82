import Foundation
import Glibc
import KeychainPinentry

/// A terminal with a person at it, which is no process's own.
final class PseudoTerminal {
    struct Failed: Error {
        let step: String
    }

    let name: String
    private var master: Int32
    private let slave: Int32
    private(set) var seen = ""

    /// TIOCSPTLCK and TIOCGPTN of ioctl_tty(2), which Swift does not see.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    init(rows: UInt16 = 24, columns: UInt16 = 80) throws {
        // Not by openpty(3): a program that another test starts just then would have them too.
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var locked: Int32 = 0
        var number: UInt32 = 0
        guard master >= 0, ioctl(master, Self.setLock, &locked) == 0, ioctl(master, Self.getNumber, &number) == 0 else {
            throw Failed(step: "open a terminal")
        }
        let name = "/dev/pts/\(number)"
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        let slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0, ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else { throw Failed(step: "open the terminal") }
        self.master = master
        self.slave = slave
        self.name = name
    }

    deinit {
        close(slave)
        if master >= 0 { close(master) }
    }

    /// The window is closed.
    func hangUp() {
        close(master)
        master = -1
    }

    var place: PinentryTerminal { PinentryTerminal(ttyName: name, ttyType: "xterm", lcCtype: "C.UTF-8") }

    /// Reads until a text has been seen, behind what was found before.
    ///
    /// - Returns: what stood before it.
    @discardableResult
    func wait(for text: String) throws -> String {
        let deadline = Date(timeIntervalSinceNow: 20)
        while true {
            if let found = seen.range(of: text) {
                defer { seen = String(seen[found.upperBound...]) }
                return String(seen[..<found.lowerBound])
            }
            guard Date() < deadline else { throw Failed(step: "waiting for \(text); seen: \(seen.debugDescription)") }
            readOnce(milliseconds: 100)
        }
    }

    /// Reads what is there.
    func drain() -> String {
        while readOnce(milliseconds: 0) {}
        return seen
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(master, bytes, bytes.count)
    }

    /// The process that has this terminal open and is not this one.
    func pinentry() throws -> pid_t {
        let deadline = Date(timeIntervalSinceNow: 20)
        while Date() < deadline {
            for entry in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
                guard let pid = pid_t(entry), pid != getpid() else { continue }
                let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? []
                for descriptor in descriptors {
                    let target = try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/\(pid)/fd/\(descriptor)"
                    )
                    if target == name { return pid }
                }
            }
            usleep(5_000)
        }
        throw Failed(step: "find who asks")
    }

    /// How the terminal is set, as bytes to compare.
    var attributes: [UInt8] {
        var state = termios()
        tcgetattr(slave, &state)
        return withUnsafeBytes(of: &state) { Array($0) }
    }

    /// What whoever reads the terminal next would get, also of a line that is not finished.
    var unread: String {
        var state = termios()
        tcgetattr(slave, &state)
        var raw = state
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(slave, TCSANOW, &raw)
        defer { tcsetattr(slave, TCSANOW, &state) }
        var request = pollfd(fd: slave, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 0) > 0 else { return "" }
        var buffer = [UInt8](repeating: 0, count: 4096)
        return String(decoding: buffer[..<max(0, read(slave, &buffer, buffer.count))], as: UTF8.self)
    }

    @discardableResult
    private func readOnce(milliseconds: Int32) -> Bool {
        var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, milliseconds) > 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(master, &buffer, buffer.count)
        guard count > 0 else { return false }
        seen += String(decoding: buffer[..<count], as: UTF8.self)
        return true
    }
}
