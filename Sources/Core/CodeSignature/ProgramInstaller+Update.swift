import Glibc
package import KeychainModel
import KeychainSystem

extension ProgramInstaller {
    /// Puts a new version into the place of an installed program.
    ///
    /// A file lives on without its name while a process has it open, and can be executed by that: with the marker it
    /// would still be the installed program, whatever the update mended. So the file of before loses its marker first.
    /// Stopped in between, or failing, this leaves the program of before, marked or not, or the new one, marked or not,
    /// and no marked file without a name.
    ///
    /// - Parameter new: the new version, anywhere. It is copied, and the copy is verified.
    /// - Throws: as `install(_:markerGroup:verifier:)`.
    package static func install(
        _ path: String,
        from new: String,
        markerGroup: UInt32,
        verifier: SignatureVerifier
    ) throws(KeychainError) -> VerifiedSignature {
        guard geteuid() == 0 else { throw KeychainError(.noPermission, "only root can install programs") }
        let isThere = try FileStamp.of(path: path) != nil
        try Place.check(isThere ? path : Folder.path(of: path), isTrusted: { $0 == 0 })
        try put(new, at: path, isThere: isThere, verifier: verifier)
        return try install(path, markerGroup: markerGroup, verifier: verifier)
    }

    private static func put(
        _ new: String,
        at path: String,
        isThere: Bool,
        verifier: SignatureVerifier
    ) throws(KeychainError) {
        let file = try KeychainError.translating { try NewFile(beside: path, mode: 0o755) }
        guard fchown(file.descriptor.number, 0, 0) == 0 else {
            throw KeychainError(errno: errno, "the new program cannot be given to root")
        }
        try OpenProgram.with(new) { source throws(KeychainError) in
            try unsafe FileParts.read(source.descriptor, 0..<source.stamp.size) { part throws(KeychainError) in
                try KeychainError.translating { try unsafe file.write(part) }
            }
        }
        // The owner of the new version's file can no longer change it.
        _ = try check(OpenProgram(file.descriptor.number, path: new), at: new, verifier: verifier)
        if isThere { try uninstall(path) }
        try KeychainError.translating { try file.commit(replacing: true) }
    }
}
