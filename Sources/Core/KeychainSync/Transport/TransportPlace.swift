/// Where a transport is, as it is written down.
package enum TransportPlace: Equatable, Sendable {
    /// The absolute path of a folder.
    case folder(String)
    /// The address of a cluster, `etcd://…`, which a program of its own speaks to.
    case cluster(String)

    private static let longest = 4_095
    private static let clusters = "etcd://"

    /// - Returns: nil for what is neither, and for what is longer than any path.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longest, !text.utf8.contains(0) else { return nil }
        if text.hasPrefix("/") {
            self = .folder(text)
        } else if Self.isAddress(text), text.utf8.allSatisfy({ (33...126).contains($0) }) {
            self = .cluster(text)
        } else {
            return nil
        }
    }

    /// Whether somebody who writes this means a cluster, and no folder.
    package static func isAddress(_ text: String) -> Bool { text.hasPrefix(clusters) }

    package var text: String {
        switch self {
        case .folder(let path): path
        case .cluster(let address): address
        }
    }
}
