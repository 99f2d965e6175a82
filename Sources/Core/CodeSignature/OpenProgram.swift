import Glibc
import KeychainModel
import KeychainSystem

/// A program's file, open for reading for as long as a function runs.
struct OpenProgram {
    let descriptor: Int32
    let stamp: FileStamp

    /// - Throws: `invalidParameter` for a link, and for what is no ELF executable; and what the function throws.
    static func with<Result>(
        _ path: String,
        _ body: (OpenProgram) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        let file: Descriptor
        do throws(SystemError) {
            file = try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            throw error.code == ELOOP
                ? KeychainError(.invalidParameter, "\(path) is a link; name the file itself") : KeychainError(error)
        }
        defer { withExtendedLifetime(file) {} }
        return try body(OpenProgram(file.number, path: path))
    }

    /// - Parameters:
    ///   - descriptor: open for reading, for as long as this is used.
    ///   - path: what errors call it.
    init(_ descriptor: Int32, path: String) throws(KeychainError) {
        self.descriptor = descriptor
        stamp = try FileStamp.of(descriptor)
        guard stamp.isFile else { throw KeychainError(.invalidParameter, "\(path) is no file") }
        var start: [UInt8] = []
        try unsafe FileParts.read(descriptor, 0..<min(4, stamp.size)) { unsafe start.append(contentsOf: $0) }
        guard start == [0x7F] + Array("ELF".utf8) else {
            throw KeychainError(
                .invalidParameter,
                "\(path) is no executable (ELF); what a script may do belongs to its interpreter"
            )
        }
        guard stamp.size <= ProgramMeasurement.largest else {
            throw KeychainError(.dataTooLarge, "\(path) is larger than 1 GiB")
        }
    }
}
