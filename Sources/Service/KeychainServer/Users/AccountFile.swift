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
    private let read: @Sendable (String) -> [UInt8]?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - read: the bytes of a file; nil where it cannot be read to its end.
    ///   - parse: takes in the fields of one line.
    init(
        _ path: String,
        empty: Contents,
        read: @escaping @Sendable (String) -> [UInt8]? = AccountFiles.bytes(of:),
        parse: @escaping @Sendable ([Substring.UTF8View], inout Contents) -> Void
    ) {
        self.path = path
        self.parse = parse
        self.empty = empty
        self.read = read
        state = Mutex(State(contents: empty))
    }

    func with<Value: Sendable>(_ body: (Contents) -> Value) -> Value {
        state.withLock { state in
            let stamp = self.stamp
            if stamp != state.stamp {
                let contents = stamp == nil ? empty : self.contents()
                state.contents = contents ?? empty
                // What could not be read is tried again next time.
                state.stamp = contents == nil ? nil : stamp
            }
            return body(state.contents)
        }
    }

    private var stamp: FileStamp? {
        guard let stamp = (try? FileStamp(path: path, followingLinks: true)) ?? nil, stamp.isFile else { return nil }
        return stamp
    }

    private func contents() -> Contents? {
        guard let bytes = read(path) else { return nil }
        var contents = empty
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            parse(line.split(separator: ":", omittingEmptySubsequences: false).map(\.utf8), &contents)
        }
        return contents
    }
}

enum AccountFiles {
    /// What is behind it is not read: in bytes.
    private static let largest = 4 << 20

    static func bytes(of path: String) -> [UInt8]? {
        let file = try? Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        return try? file?.prefix(largest)
    }
}
