/// A step that a key may be used for: from a host, or from here, to another one (OpenSSH's PROTOCOL.agent, section 2).
package struct DestinationConstraint: Sendable, Equatable {
    static let extensionName = "restrict-destination-v00@openssh.com"

    /// One end of a step.
    struct Hop: Sendable, Equatable {
        /// A pattern; nil for every user.
        let user: String?
        /// Nil for this machine.
        let host: String?
        let keys: [HostKey]
    }

    struct HostKey: Sendable, Equatable {
        let blob: [UInt8]
        /// Whether it is not the host's key but that of an authority, which certifies hosts.
        let isAuthority: Bool
    }

    let from: Hop
    let to: Hop

    private static let most = 1_024
    private static let mostKeys = 256

    /// - Throws: for a list that is empty, too long, or has a step that is incomplete.
    static func list(_ bytes: [UInt8]) throws(SSHFormatError) -> [DestinationConstraint] {
        var reader = SSHReader(bytes)
        var list: [DestinationConstraint] = []
        while !reader.isAtEnd {
            guard list.count < most else { throw SSHFormatError("too many destinations") }
            list.append(try DestinationConstraint(try reader.string()))
        }
        // Of nothing would be for everywhere.
        guard !list.isEmpty else { throw SSHFormatError("a key is restricted to no destination") }
        return list
    }

    private init(_ bytes: [UInt8]) throws(SSHFormatError) {
        var reader = SSHReader(bytes)
        from = try Hop(try reader.string())
        to = try Hop(try reader.string())
        guard try reader.string().isEmpty else { throw SSHFormatError("a destination has parts unknown here") }
        try reader.requireEnd()
        guard from.user == nil, (from.host == nil) == from.keys.isEmpty, to.host != nil, !to.keys.isEmpty else {
            throw SSHFormatError("a destination is incomplete")
        }
    }
}

extension DestinationConstraint.Hop {
    fileprivate init(_ bytes: [UInt8]) throws(SSHFormatError) {
        var reader = SSHReader(bytes)
        let user = try reader.text(limit: 1_024)
        let host = try reader.text(limit: 1_024)
        guard try reader.string().isEmpty else { throw SSHFormatError("a destination has parts unknown here") }
        var keys: [DestinationConstraint.HostKey] = []
        while !reader.isAtEnd {
            guard keys.count < DestinationConstraint.mostKeys else { throw SSHFormatError("too many keys of a host") }
            let blob = try reader.string()
            keys.append(DestinationConstraint.HostKey(blob: blob, isAuthority: try reader.boolean()))
        }
        self.init(user: user.isEmpty ? nil : user, host: host.isEmpty ? nil : host, keys: keys)
    }

    /// Whether a key is that of this host.
    fileprivate func isHost(with key: SSHPublicKey, at date: UInt64) -> Bool {
        keys.contains { known in
            guard known.isAuthority else { return known.blob == key.blob }
            guard let certificate = key.certificate, let host else { return false }
            return certificate.authority == known.blob && certificate.isValid(forHost: host, at: date)
        }
    }
}

extension [DestinationConstraint] {
    /// Whether a step is allowed.
    ///
    /// - Parameters:
    ///   - from: the key of the host that it begins at; nil for this machine.
    ///   - to: where it leads; nil for anywhere.
    ///   - user: who is logged in as; nil where nobody is.
    ///   - date: seconds since 1970.
    func allow(from: SSHPublicKey?, to: SSHPublicKey?, as user: String?, at date: UInt64) -> Bool {
        contains { constraint in
            if let from {
                guard constraint.from.isHost(with: from, at: date) else { return false }
            } else if constraint.from.host != nil {
                return false
            }
            if let to, !constraint.to.isHost(with: to, at: date) { return false }
            guard let user, let pattern = constraint.to.user else { return true }
            return Pattern(pattern).matches(user)
        }
    }
}
