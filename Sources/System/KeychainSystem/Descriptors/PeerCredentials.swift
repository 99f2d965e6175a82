import CKeychainLinux

/// The process at the other end of a UNIX socket when it connected or listened, as the kernel has it (SO_PEERCRED).
package struct PeerCredentials: Sendable {
    package let pid: Int32
    package let uid: UInt32
    package let gid: UInt32
}

extension OpenDescriptor {
    /// Nil where the descriptor is no such socket.
    package var peer: PeerCredentials? {
        var pid: Int32 = 0
        var uid: UInt32 = 0
        var gid: UInt32 = 0
        guard unsafe clinux_peer_credentials(number, &pid, &uid, &gid) else { return nil }
        return PeerCredentials(pid: pid, uid: uid, gid: gid)
    }
}
