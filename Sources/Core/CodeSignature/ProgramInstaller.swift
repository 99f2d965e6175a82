import Glibc
package import KeychainModel
import KeychainSystem

/// Marks signed programs, so that the kernel itself vouches for how they were started.
///
/// A marked program gets a group from the kernel at its start, unless it is started traced, filtered, in a user
/// namespace or through the dynamic linker; and with it secure execution, in which no environment variable loads a
/// library. The group owns nothing. docs/decisions/0017 says why it is a group.
package enum ProgramInstaller {
    package static let standardGroup = "chatelaine-app"

    /// - Parameter markerGroup: one that owns no files and has no members.
    /// - Throws: `missingEntitlement` for a program whose signature is worth nothing, `notAvailable` for one in a place
    ///   that others than root can write to, or where the kernel ignores markers; `noPermission` for users other than
    ///   root.
    package static func install(
        _ path: String,
        markerGroup: UInt32,
        verifier: SignatureVerifier
    ) throws(KeychainError) -> VerifiedSignature {
        guard geteuid() == 0 else { throw KeychainError(.noPermission, "only root can install programs") }
        try Place.check(path, isTrusted: { $0 == 0 })
        return try OpenProgram.with(path) { program throws(KeychainError) in
            try install(program, at: path, markerGroup: markerGroup, verifier: verifier)
        }
    }

    private static func install(
        _ program: OpenProgram,
        at path: String,
        markerGroup: UInt32,
        verifier: SignatureVerifier
    ) throws(KeychainError) -> VerifiedSignature {
        guard try FileStamp.of(path: path) == program.stamp, program.stamp.owner == 0, !program.stamp.isWritableToOthers
        else {
            throw KeychainError(.notAvailable, "\(path) changed while it was looked at")
        }
        guard program.stamp.links == 1 else {
            throw KeychainError(
                .notAvailable,
                "\(path) has other names (hard links), under which this version would live on; copy it to a file of its own"
            )
        }
        let signature = try check(program, at: path, verifier: verifier)
        try mark(program.descriptor, group: markerGroup)
        return signature
    }

    /// The conditions for every program, whatever its name.
    static func check(
        _ program: OpenProgram,
        at path: String,
        verifier: SignatureVerifier
    ) throws(KeychainError) -> VerifiedSignature {
        try checkMount(of: program.descriptor)
        try DynamicLinking(of: program).check()
        switch try verifier.verdict(of: program.descriptor) {
        case .signed(let verified): return verified
        case .unsigned:
            throw KeychainError(.missingEntitlement, "\(path) is not signed; sign it first: chatelaine sign")
        case .tampered(let reason):
            throw KeychainError(.missingEntitlement, "the signature of \(path) is not accepted: \(reason.message)")
        }
    }

    /// Takes the marker away. What the program has stored stays, for when it is installed again.
    package static func uninstall(_ path: String) throws(KeychainError) {
        guard geteuid() == 0 else { throw KeychainError(.noPermission, "only root can uninstall programs") }
        try Place.check(path, isTrusted: { $0 == 0 })
        try OpenProgram.with(path) { program throws(KeychainError) in
            try refuseSetUserID(program.descriptor)
            try mark(program.descriptor, group: nil)
        }
    }

    /// An installed program has no set-user-ID. One that has, such as `sudo`, would lose it.
    private static func refuseSetUserID(_ descriptor: Int32) throws(KeychainError) {
        guard try FileStamp.of(descriptor).mode & S_ISUID == 0 else {
            throw KeychainError(.notAvailable, "the program is not installed: it has set-user-ID")
        }
    }

    private static func checkMount(of descriptor: Int32) throws(KeychainError) {
        var status = statvfs()
        guard unsafe fstatvfs(descriptor, &status) == 0 else {
            throw KeychainError(errno: errno, "the program's file system cannot be looked at")
        }
        guard status.f_flag & UInt(ST_NOSUID) == 0 else {
            throw KeychainError(
                .notAvailable,
                "the program lies on a file system that is mounted nosuid, where the kernel ignores the marker"
            )
        }
    }

    private static func mark(_ descriptor: Int32, group: UInt32?) throws(KeychainError) {
        // In this order: a change of the group takes the bit away.
        guard fchown(descriptor, 0, group ?? 0) == 0, fchmod(descriptor, group == nil ? 0o755 : 0o2755) == 0,
            fsync(descriptor) == 0
        else { throw KeychainError(errno: errno, "the program's owner and permissions cannot be set") }
    }
}
