package import KeychainModel
package import Logging

/// The loggers of the keychain in this process.
package enum KeychainLog {
    /// Names the least level that is logged: `trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`.
    package static let variable = "CHATELAINE_LOG"

    /// What happens to the keychain as a whole.
    package static let keychain = logger("chatelaine.keychain")

    /// Single calls: at the level `debug`, why one failed or found nothing.
    package static let query = logger("chatelaine.query")

    /// Logs a call that failed, at the level `debug`. Errors carry no values of items.
    package static func note(_ call: String, failedWith error: KeychainError, status: Int32) {
        query.debug("\(call) is \(status): \(error.message)")
    }

    /// A logger goes to wherever the program has its logs, and to standard error if it has not said.
    private static func logger(_ label: String) -> Logger {
        var logger = Logger(label: label)
        if let level { logger.logLevel = level }
        return logger
    }

    /// Nil leaves it to the program.
    private static let level: Logger.Level? = {
        guard let name = Environment[variable], !name.isEmpty else { return nil }
        if let level = Logger.Level(rawValue: name.lowercased()) { return level }
        let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        Logger(label: "chatelaine.keychain").warning("\(variable) is none of \(levels), and is ignored")
        return nil
    }()
}
