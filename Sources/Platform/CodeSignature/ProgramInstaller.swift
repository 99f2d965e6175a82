import CLinux
import Glibc
package import KeychainModel

/// Marks signed programs, so that the kernel itself vouches for how they were started.
///
/// A marked program gets a group, or a capability, from the kernel at its start, unless it is started traced, filtered, in a
/// user namespace or through the dynamic linker; and with it secure execution, in which no environment variable loads a
/// library. Neither group nor capability allows anything.
package enum ProgramInstaller {
    package enum Marker: Sendable, Hashable {
        /// Set-group-ID to a group that owns nothing.
        case group(UInt32)
        /// `CAP_WAKE_ALARM`, permitted and not effective: for programs whose toolkit refuses to run with another group.
        case capability
    }

    package static let standardGroup = "chatelaine-app"
    /// `CAP_WAKE_ALARM` (linux/capability.h).
    package static let markerCapability: UInt32 = 35

    /// - Throws: `missingEntitlement` for a program whose signature is worth nothing, `notAvailable` for one in a place that
    ///   others than root can write to, or where the kernel ignores markers; `noPermission` for anybody but root.
    package static func install(
        _ path: String,
        marker: Marker,
        verifier: SignatureVerifier
    ) throws(KeychainError) -> VerifiedSignature {
        guard geteuid() == 0 else { throw KeychainError(.noPermission, "only root can install programs") }
        try Place.check(path, isTrusted: { $0 == 0 })
        return try OpenProgram.with(path) { program throws(KeychainError) in
            try install(program, at: path, marker: marker, verifier: verifier)
        }
    }

    private static func install(
        _ program: OpenProgram,
        at path: String,
        marker: Marker,
        verifier: SignatureVerifier
    ) throws(KeychainError) -> VerifiedSignature {
        guard try FileStamp(path: path) == program.stamp, program.stamp.owner == 0, !program.stamp.isWritableToOthers
        else {
            throw KeychainError(.notAvailable, "\(path) changed while it was looked at")
        }
        guard try linkCount(of: program.descriptor) == 1 else {
            throw KeychainError(
                .notAvailable,
                "\(path) has other names (hard links), under which this version would live on; copy it to a file of its own"
            )
        }
        try checkMount(of: program.descriptor)
        try DynamicLinking(of: program).check()
        let signature: VerifiedSignature
        switch try verifier.verdict(of: program.descriptor) {
        case .signed(let verified): signature = verified
        case .unsigned:
            throw KeychainError(.missingEntitlement, "\(path) is not signed; sign it first: chatelaine sign")
        case .tampered(let reason):
            throw KeychainError(.missingEntitlement, "the signature of \(path) is not accepted: \(reason.message)")
        }
        try mark(program.descriptor, with: marker)
        return signature
    }

    /// Takes the marker away. What the program has stored stays, for when it is installed again.
    package static func uninstall(_ path: String) throws(KeychainError) {
        guard geteuid() == 0 else { throw KeychainError(.noPermission, "only root can uninstall programs") }
        try Place.check(path, isTrusted: { $0 == 0 })
        try OpenProgram.with(path) { program throws(KeychainError) in try mark(program.descriptor, with: nil) }
    }

    private static func linkCount(of descriptor: Int32) throws(KeychainError) -> UInt64 {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw KeychainError(errno: errno, "the program cannot be looked at")
        }
        return UInt64(status.st_nlink)
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

    private static func mark(_ descriptor: Int32, with marker: Marker?) throws(KeychainError) {
        let (group, mode): (UInt32, mode_t) =
            if case .group(let group) = marker { (group, 0o2755) } else { (0, 0o755) }
        // In this order: a change of owner or mode takes capabilities away, and one of owner the set-group-ID bit.
        var isDone = fchown(descriptor, 0, group) == 0 && fchmod(descriptor, mode) == 0
        isDone = isDone && clinux_remove_file_capabilities(descriptor) == 0
        if isDone, marker == .capability {
            isDone = clinux_set_file_capability(descriptor, markerCapability) == 0
        }
        guard isDone, fsync(descriptor) == 0 else {
            throw KeychainError(errno: errno, "the program's owner and permissions cannot be set")
        }
    }
}
