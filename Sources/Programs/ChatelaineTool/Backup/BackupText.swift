import Foundation
import KeychainBackup
import KeychainModel
import Terminal

/// What commands say of backups.
enum BackupText {
    static func origin(_ origin: BackupOrigin) -> String {
        switch origin {
        case .thisDevice: "this device"
        case .known: "a known device"
        case .unknown: "unknown"
        }
    }

    static func date(_ seconds: Double) -> String {
        guard seconds.isFinite, abs(seconds) < 1e11 else { return "at no date" }
        return Date(timeIntervalSinceReferenceDate: seconds).formatted(.iso8601)
    }

    static func items(_ count: UInt64) -> String { count == 1 ? "1 item" : "\(count) items" }

    static func line(_ itemClass: ItemClass?, _ group: String, _ title: String) -> String {
        let name = itemClass?.rawValue ?? "?   "
        let text = title.isEmpty ? "(no name)" : title
        return "\(name)  \(TerminalText.escaped(group))  \(TerminalText.escaped(text))"
    }

    static func outcome(_ outcome: RestoreOutcome) -> String {
        switch outcome {
        case .added: "add"
        case .replaced: "replace"
        case .kept: "keep"
        case .otherDevice: "skip"
        case .refused: "refuse"
        }
    }

    static let damaged = """
        The keychain has damaged items, which are not in it: security verify-keychain tells of them.

        """
}
