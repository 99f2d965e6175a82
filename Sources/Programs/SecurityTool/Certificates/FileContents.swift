import Foundation
import Glibc
import Terminal

/// Files that commands read and write.
enum FileContents {
    /// No file of keys and certificates is larger.
    private static let most = 10 << 20

    static func read(_ path: String) throws(Failure) -> Data {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var data = try beginning(of: descriptor, path)
        _ = fcntl(descriptor, F_SETFL, 0)
        do {
            data += try file.read(upToCount: most + 1) ?? Data()
        } catch {
            throw failure(path)
        }
        guard data.count <= most else { throw Failure("\(TerminalText.escaped(path)): the file is too large") }
        return data
    }

    /// Writes a file that only its owner may read, or to standard output if there is no path.
    static func write(_ data: Data, to path: String?) throws(Failure) {
        guard let path else { return try Console.print(bytes: Array(data)) }
        var status = stat()
        // What stands for something else, such as /dev/stdout, is written to. A file is replaced as a whole: it may be one
        // that others can read, or have open.
        if unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw failure(path) }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            if unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
                guard fchmod(descriptor, 0o600) == 0 else { throw failure(path) }
            }
            return try write(data, to: file, path)
        }
        var template = Array((path + ".XXXXXX").utf8CString)
        let descriptor = unsafe template.withUnsafeMutableBufferPointer { template in
            unsafe template.baseAddress.map { unsafe mkstemp($0) } ?? -1
        }
        guard descriptor >= 0 else { throw failure(path) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        do throws(Failure) {
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try write(data, to: file, path)
            guard fsync(descriptor) == 0, unsafe rename(template, path) == 0 else { throw failure(path) }
            withExtendedLifetime(file) {}
        } catch {
            _ = unsafe unlink(template)
            throw error
        }
    }

    private static func write(_ data: Data, to file: FileHandle, _ path: String) throws(Failure) {
        do {
            try file.write(contentsOf: data)
        } catch {
            throw failure(path)
        }
    }

    /// What has to be read of a pipe to learn that somebody writes into it; nothing of a file. A pipe of an archive has no
    /// writer and is not waited for. A writer, such as the shell's ‹(…), may take its time.
    ///
    /// - Throws: where no writer comes.
    private static func beginning(of descriptor: Int32, _ path: String) throws(Failure) -> Data {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure(path) }
        guard status.st_mode & S_IFMT == S_IFIFO else { return Data() }
        let end = ContinuousClock.now + patience
        while .now < end {
            var byte: UInt8 = 0
            let count = unsafe Glibc.read(descriptor, &byte, 1)
            if count > 0 { return Data([byte]) }
            // fifo(7): there is a writer, and nothing was written yet.
            if count < 0, errno == EAGAIN { return Data() }
            guard count == 0 || errno == EINTR else { throw failure(path) }
            usleep(20_000)
        }
        throw Failure("\(TerminalText.escaped(path)): nobody writes into this pipe")
    }

    /// For a writer that is started at the same time.
    private static let patience = Duration.seconds(2)

    private static func failure(_ path: String) -> Failure {
        Failure("\(TerminalText.escaped(path)): \(unsafe String(cString: strerror(errno == 0 ? EIO : errno)))")
    }
}
