import Glibc
package import KeychainModel

/// Starts chatelaine-identify, for a server that systemd has not given its socket.
package enum WitnessProcess {
    /// To be called while the process still has the rights that it hands on. The new process ends with the last of those
    /// that hold the witness.
    ///
    /// - Parameters:
    ///   - program: the path of chatelaine-identify.
    ///   - user: whom it is to run as, a name or a number.
    package static func start(_ program: String, as user: String) throws(KeychainError) -> RemoteWitness {
        var pair: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0
        else { throw KeychainError(errno: errno, "no socket for \(program)") }
        let own = Descriptor(owning: pair[0])
        let others = Descriptor(owning: pair[1])

        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // The copy is open after exec, also where the number is the same.
        unsafe posix_spawn_file_actions_adddup2(&actions, others.number, inheritedDescriptor)
        let arguments = [program, "--user", user, "--descriptor", "\(inheritedDescriptor)"]
        var copies = unsafe arguments.map { unsafe strdup($0) }
        defer { for unsafe copy in unsafe copies { unsafe free(copy) } }
        unsafe copies.append(nil)
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
        var pid: pid_t = 0
        let failure = unsafe posix_spawn(&pid, program, &actions, nil, &copies, &environment)
        guard failure == 0 else { throw KeychainError(errno: failure, "\(program) cannot be started") }
        return RemoteWitness(own)
    }

    private static let inheritedDescriptor: Int32 = 3
}
