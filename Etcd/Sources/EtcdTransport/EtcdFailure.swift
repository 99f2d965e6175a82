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
    /// In one line, without characters that a terminal obeys.
    package let description: String
    /// Whether the answer was longer than what is taken. Of names, fewer can be asked for.
    package private(set) var isTooLarge = false
    /// Whether somebody is not let in, or may not do this.
    package private(set) var isRefusal = false

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = PlainText.line(description)
    }

    /// - Parameters:
    ///   - error: of a call.
    ///   - nodes: that were asked.
    package init(_ error: any Error, of nodes: [EtcdAddress.Node] = []) {
        guard let error = error as? RPCError else {
            self = error as? EtcdFailure ?? EtcdFailure(.unreachable, "the cluster cannot be reached: \(error)")
            return
        }
        // etcd's own words, which name what a code does not.
        let text = PlainText.line(error.message, atMost: 200)
        switch error.code {
        case .resourceExhausted where text.contains("space exceeded"):
            self.init(.full, "the cluster has no room left; its operator can make some")
        case .resourceExhausted where !Self.isPassing(error),
            .internalError where text.contains("exceeded the configured maximum"):
            self.init(.other, "the cluster refuses, or answers too much: \(text)")
            isTooLarge = true
        case .resourceExhausted: self.init(.unreachable, "the cluster has too much to do: \(text)")
        case .permissionDenied, .unauthenticated:
            self.init(.other, "the cluster does not let this device in, or its operator has revoked it: \(text)")
            isRefusal = true
        case .failedPrecondition where text.contains("user name not found"),
            .invalidArgument where text.contains("user name"):
            self.init(.other, "the cluster does not know this device, or its operator has revoked it")
            isRefusal = true
        case .unavailable, .deadlineExceeded, .cancelled, .aborted:
            // A node that refuses a certificate says nothing.
            self.init(
                .unreachable,
                "no node of the cluster can be reached, or none takes this certificate: \(text)\(Self.names(nodes))"
            )
        default: self.init(.other, "the cluster refuses: \(text)")
        }
    }

    private static func names(_ nodes: [EtcdAddress.Node]) -> String {
        guard !nodes.isEmpty else { return "" }
        let names = nodes.prefix(5).map { PlainText.line($0.text, atMost: 80) } + (nodes.count > 5 ? ["…"] : [])
        return "; asked: \(names.joined(separator: ", "))"
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

/// Text of others that is shown to somebody.
package enum PlainText {
    /// One line of a text: what a terminal obeys, or what changes the order of the rest, is a question mark.
    ///
    /// - Parameter most: how many bytes it may have.
    package static func line(_ text: String, atMost most: Int = 900) -> String {
        var line = ""
        var count = 0
        for scalar in text.unicodeScalars {
            let shown = isShown(scalar) ? scalar : "?"
            count += UTF8.width(shown)
            guard count <= most else { break }
            line.unicodeScalars.append(shown)
        }
        return line
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
