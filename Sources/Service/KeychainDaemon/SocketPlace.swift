import KeychainModel
import KeychainSystem

/// Where the service listens.
enum SocketPlace {
    case path(String)
    /// It listens already, as from systemd.
    case descriptor(Int32)

    func listen(
        for audience: ListeningSocket.Audience,
        kind: ListeningSocket.Kind = .bytes
    ) throws(KeychainError) -> ListeningSocket {
        try KeychainError.translating {
            switch self {
            case .path(let path): try ListeningSocket(binding: path, for: audience, kind: kind)
            case .descriptor(let descriptor): try ListeningSocket(adopting: descriptor, kind: kind)
            }
        }
    }
}
