import GRPCCore

/// Why a cluster did not do what it was asked for.
package struct EtcdFailure: Error, Equatable, CustomStringConvertible {
    package enum Kind: String, Sendable {
        /// No node answers, or they have no leader. Later it may work.
        case unreachable
        /// The cluster has no room left: it takes nothing until its operator has made some.
        case full
        /// The cluster does not let this device do so, or something is wrong here.
        case other
    }

    package let kind: Kind
    /// In one line.
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// - Parameter error: of a call.
    package init(_ error: any Error) {
        guard let error = error as? RPCError else {
            self = error as? EtcdFailure ?? EtcdFailure(.unreachable, "the cluster cannot be reached: \(error)")
            return
        }
        // etcd's own words, which name what a code does not.
        let text = String(error.message.prefix(200).map { $0.isNewline ? " " : $0 })
        switch error.code {
        case .resourceExhausted where text.contains("space exceeded"):
            self.init(.full, "the cluster has no room left; its operator can make some")
        case .permissionDenied, .unauthenticated:
            self.init(.other, "the cluster does not let this device in, or its operator has revoked it: \(text)")
        case .failedPrecondition where text.contains("user name not found"),
            .invalidArgument where text.contains("user name"):
            self.init(.other, "the cluster does not know this device, or its operator has revoked it")
        case .unavailable, .deadlineExceeded, .cancelled, .aborted:
            // A node that refuses a certificate says nothing.
            self.init(
                .unreachable,
                "no node of the cluster can be reached, or none takes this device's certificate: \(text)"
            )
        default: self.init(.other, "the cluster refuses: \(text)")
        }
    }

    /// Whether the same call may succeed at once: another node answers, or a leader was just chosen.
    package static func isPassing(_ error: any Error) -> Bool {
        guard let error = error as? RPCError else { return false }
        switch error.code {
        case .unavailable, .deadlineExceeded, .aborted: return true
        case .resourceExhausted: return error.message.contains("too many requests")
        // Somebody's rights have changed between the look at ours and the call.
        case .invalidArgument: return error.message.contains("revision in header is old")
        default: return false
        }
    }
}
