import Foundation
import Glibc
import KeychainSystem
import Terminal

/// Files that commands read and write.
enum FileContents {
    /// No file of keys and certificates is larger.
    private static let most = 10 << 20

    static func read(_ path: String) throws(Failure) -> Data {
        let data: [UInt8]?
        do throws(SystemError) {
            let file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
            let start = try beginning(of: file)
            _ = file.withNumber { fcntl($0, F_SETFL, 0) }
            data = if let start { try start + file.prefix(most + 1) } else { nil }
        } catch {
            throw failure(path, error)
        }
        guard let data else { throw Failure("\(TerminalText.escaped(path)): nobody writes into this pipe") }
        guard data.count <= most else { throw Failure("\(TerminalText.escaped(path)): the file is too large") }
        return Data(data)
    }

    /// Writes a file that only its owner may read, or to standard output if there is no path.
    static func write(_ data: Data, to path: String?) throws(Failure) {
        guard let path else { return try Console.print(bytes: Array(data)) }
        do throws(SystemError) {
            // What stands for something else, such as /dev/stdout, is written to. A file is replaced as a whole: it may be
            // one that others can read, or have open.
            if let stamp = FileStamp.ofFile(path), !stamp.isFile {
                let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
                if try file.stamp().isFile, fchmod(file.number, 0o600) != 0 { throw SystemError(path) }
                try file.write(Array(data))
            } else {
                let file = try NewFile(beside: path, mode: 0o600)
                try file.write(Array(data))
                try file.descriptor.synchronize()
                // Not its folder, which may refuse: then the file is there all the same.
                try file.commit(replacing: true, lasting: false)
            }
        } catch {
            throw failure(path, error)
        }
    }

    /// What has to be read of a pipe to learn that somebody writes into it; nothing of a file. A pipe of an archive has no
    /// writer and is not waited for. A writer, such as the shell's ‹(…), may take its time.
    ///
    /// - Returns: nil where no writer comes.
    private static func beginning(of file: Descriptor) throws(SystemError) -> [UInt8]? {
        guard try file.stamp().mode & S_IFMT == S_IFIFO else { return [] }
        let end = ContinuousClock.now + patience
        while .now < end {
            do throws(SystemError) {
                let start = try file.prefix(1)
                if !start.isEmpty { return start }
            } catch {
                // fifo(7): there is a writer, and nothing was written yet.
                if error.code == EAGAIN { return [] }
                throw error
            }
            usleep(20_000)
        }
        return nil
    }

    /// For a writer that is started at the same time.
    private static let patience = Duration.seconds(2)

    private static func failure(_ path: String, _ error: SystemError) -> Failure {
        Failure("\(TerminalText.escaped(path)): \(error.reason)")
    }
}
