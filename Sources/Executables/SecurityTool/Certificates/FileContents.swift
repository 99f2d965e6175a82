import Foundation
import Glibc
import Terminal

/// Files that commands read and write.
enum FileContents {
    /// No file of keys and certificates is larger.
    private static let most = 10 << 20

    static func read(_ path: String) throws(Failure) -> Data {
        // A pipe that nobody writes into is not waited for, as one of an archive. What the shell's ‹(…) gives has a writer.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try refusePipeWithoutWriter(descriptor, path)
        _ = fcntl(descriptor, F_SETFL, 0)
        guard let data = try? file.read(upToCount: most + 1) else {
            // Nothing in it, or a folder.
            guard let data = try? file.readToEnd() ?? Data() else { throw failure(path) }
            return data
        }
        guard data.count <= most else { throw Failure("\(TerminalText.escaped(path)): the file is too large") }
        return data
    }

    /// Writes a file that only its owner may read, or to standard output if there is no path.
    static func write(_ data: Data, to path: String?) throws(Failure) {
        guard let path else { return try Console.print(bytes: Array(data)) }
        var status = stat()
        // A device or a pipe is written to. A file is replaced as a whole: it may be one that others can read.
        if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw failure(path) }
            return try write(data, to: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), path)
        }
        var template = Array((path + ".XXXXXX").utf8CString)
        let descriptor = unsafe template.withUnsafeMutableBufferPointer { template in
            unsafe template.baseAddress.map { unsafe mkstemp($0) } ?? -1
        }
        guard descriptor >= 0 else { throw failure(path) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        do throws(Failure) {
            try write(data, to: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), path)
            guard unsafe rename(template, path) == 0 else { throw failure(path) }
        } catch {
            _ = unsafe unlink(template)
            throw error
        }
    }

    private static func write(_ data: Data, to file: FileHandle, _ path: String) throws(Failure) {
        do {
            try file.write(contentsOf: data)
            try file.synchronize()
        } catch {
            throw failure(path)
        }
    }

    private static func refusePipeWithoutWriter(_ descriptor: Int32, _ path: String) throws(Failure) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure(path) }
        guard status.st_mode & S_IFMT == S_IFIFO else { return }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // One that had a writer says that it has none any more, or that there is something to be read. What never had one
        // says nothing: it is given a moment.
        guard unsafe poll(&request, 1, patience) > 0 else {
            throw Failure("\(TerminalText.escaped(path)): it is a pipe that nobody writes into")
        }
    }

    /// In milliseconds.
    private static let patience: Int32 = 30_000

    private static func failure(_ path: String) -> Failure {
        Failure("\(TerminalText.escaped(path)): \(unsafe String(cString: strerror(errno == 0 ? EIO : errno)))")
    }
}
