import Glibc
import KeychainSystem
import Synchronization

/// One of the system's files of lines with fields between colons (passwd(5), subuid(5)), read anew when it is another
/// one.
///
/// Only the file is read: a look-up by the C library may wait for a server, and its callers must not wait.
final class AccountFile<Contents: Sendable>: Sendable {
    private struct State {
        var stamp: FileStamp?
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
                let read = stamp == nil ? empty : read()
                state.contents = read ?? empty
                // What could not be read is tried again next time.
                state.stamp = read == nil ? nil : stamp
            }
            return body(state.contents)
        }
    }

    private var stamp: FileStamp? {
        guard let stamp = (try? FileStamp(path: path, followingLinks: true)) ?? nil, stamp.isFile else { return nil }
        return stamp
    }

    private func read() -> Contents? {
        guard let file = try? Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY),
            let bytes = try? file.prefix(Self.largest)
        else { return nil }
        var contents = empty
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            parse(line.split(separator: ":", omittingEmptySubsequences: false).map(\.utf8), &contents)
        }
        return contents
    }
}
