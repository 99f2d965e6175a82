import KeychainModel
import KeychainSystem

extension Console {
    /// The exit status for a command line that is not understood.
    package static let usageStatus: Int32 = 2

    /// Prints a message to standard error, after the program's name and with nothing that a terminal obeys.
    package static func complain(_ message: String, as program: String) {
        printError("\(program): \(TerminalText.escaped(message))\n")
    }

    /// Says why a command did not do its work.
    ///
    /// - Parameter program: how it is called in messages.
    /// - Returns: the exit status; nil for what only the program knows, such as an error of its parser's.
    package static func report(_ error: any Error, as program: String) -> Int32? {
        switch error {
        case let failure as Failure:
            if !failure.message.isEmpty { complain(failure.message, as: program) }
            return failure.exitStatus
        case let error as KeychainError:
            complain(error.message, as: program)
            return 1
        case let error as SystemError:
            complain(error.description, as: program)
            return 1
        default:
            return nil
        }
    }
}
