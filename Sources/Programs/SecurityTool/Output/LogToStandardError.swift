import Logging
import Terminal

/// Shows people why a keychain cannot be used and what is damaged in it, in the words of the library's log, among the command's other messages.
struct LogToStandardError: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .warning

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        Console.printError("security: \(TerminalText.escaped(event.message.description))\n")
    }
}
