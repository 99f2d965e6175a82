import Glibc
import Synchronization

/// One of the system's files of lines with fields between colons (passwd(5), subuid(5)), read anew when it is another
/// one.
///
/// Only the file is read: a look-up by the C library may wait for a server, and its callers must not wait.
final class AccountFile<Contents: Sendable>: Sendable {
    private struct Stamp: Equatable {
        let device: UInt64
        let inode: UInt64
        let size: Int64
        let seconds: Int
        let nanoseconds: Int
    }

    private struct State {
        var stamp: Stamp?
        var contents: Contents
    }

    private let path: String
    private let parse: @Sendable ([Substring.UTF8View], inout Contents) -> Void
    private let empty: Contents
    private let state: Mutex<State>

    /// What is behind it is not read: in bytes.
    private static var largest: Int { 4 << 20 }

    /// - Parameter parse: takes in the fields of one line.
    init(
        _ path: String,
        empty: Contents,
        parse: @escaping @Sendable ([Substring.UTF8View], inout Contents) -> Void
    ) {
        self.path = path
        self.parse = parse
        self.empty = empty
        state = Mutex(State(contents: empty))
    }

    func with<Value: Sendable>(_ body: (Contents) -> Value) -> Value {
        state.withLock { state in
            let stamp = self.stamp
            if stamp != state.stamp {
                state.contents = stamp == nil ? empty : read()
                state.stamp = stamp
            }
            return body(state.contents)
        }
    }

    private var stamp: Stamp? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Stamp(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec
        )
    }

    private func read() -> Contents {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return empty }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < Self.largest {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        var contents = empty
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            parse(line.split(separator: ":", omittingEmptySubsequences: false).map(\.utf8), &contents)
        }
        return contents
    }
}
