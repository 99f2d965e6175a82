import Glibc
import KeychainSystem
package import Logging

/// Writes messages to standard error, one a line; for the journal, without the time, and with the level as it reads it
/// (sd-daemon(3)).
package struct StandardErrorLog: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    private let isJournal: Bool

    package init(level: Logger.Level) {
        logLevel = level
        isJournal = Self.standardErrorIsJournal
    }

    static func level(named name: String) -> Logger.Level? { Logger.Level(rawValue: name) }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var line = isJournal ? "<\(Self.priority(event.level))>" : "\(Self.time()) \(event.level.rawValue) "
        line += Self.printable("\(event.message)")
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) { line += Self.printable(" \(key)=\(value)") }
        line += "\n"
        // One call a line, so that lines of several threads stay whole.
        line.withUTF8 { _ = unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// What a client has chosen, such as a path, ends no line and sets no colours.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) ? "?" : $0 }
            )
        )
    }

    private static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    private static func time() -> String {
        var now = Glibc.time(nil)
        var parts = unsafe tm()
        _ = unsafe gmtime_r(&now, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        let count = unsafe strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// systemd names the journal's stream in JOURNAL_STREAM; a redirected standard error is another file.
    private static var standardErrorIsJournal: Bool {
        guard let name = unsafe getenv("JOURNAL_STREAM") else { return false }
        guard let stamp = try? LentDescriptor(STDERR_FILENO).stamp() else { return false }
        return unsafe String(cString: name) == "\(stamp.device):\(stamp.inode)"
    }
}
