import Crypto
import Glibc
import KeychainModel
import KeychainSystem
import KeychainTrailer

/// What a program's file is: its digests, and the signature that it says it has.
struct ProgramMeasurement: Sendable {
    let digest: ProgramDigest
    let ending: ProgramTrailer.Ending
    /// SHA-256 of what stands before the trailer, where there is one.
    let programDigest: [UInt8]
    /// Whether the program ends as a signed one does, under its signature.
    let isSignedTwice: Bool

    /// In bytes. A huge program must not keep the service busy with reading.
    static let largest: UInt64 = 1 << 30

    /// Reads a file once, a part at a time.
    ///
    /// - Throws: `authenticationFailed` where the file changes meanwhile, `dataTooLarge` for more than 1 GiB.
    init(of descriptor: Int32) throws(KeychainError) {
        let before = try FileStamp.of(descriptor)
        guard before.isFile else { throw KeychainError(.invalidParameter, "the program is no file") }
        guard before.size <= Self.largest else {
            throw KeychainError(.dataTooLarge, "a program of more than 1 GiB is not looked at")
        }
        ending = try ProgramTrailer.ending(of: descriptor, length: before.size)
        var programLength = before.size
        if case .trailer(let trailer) = ending {
            programLength = trailer.programLength
            isSignedTwice = try ProgramTrailer.ending(of: descriptor, length: programLength) != .none
        } else {
            isSignedTwice = false
        }
        var hash = SHA256()
        try unsafe FileParts.read(descriptor, 0..<programLength) { part in unsafe hash.update(bufferPointer: part) }
        programDigest = Array(hash.finalize())
        try unsafe FileParts.read(descriptor, programLength..<before.size) { part in
            unsafe hash.update(bufferPointer: part)
        }
        digest = ProgramDigest(Array(hash.finalize()))
        guard try FileStamp.of(descriptor) == before else {
            throw KeychainError(.authenticationFailed, "the program changed while it was read")
        }
    }
}
