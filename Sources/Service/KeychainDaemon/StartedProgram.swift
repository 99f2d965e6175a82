import KeychainModel
import KeychainSystem

/// A program of ours that the service starts while it is root, because it is to have other rights.
enum StartedProgram {
    /// Starts a program that lies beside this one.
    ///
    /// - Parameter descriptors: its own from 3 on.
    static func start(
        _ name: String,
        _ arguments: [String],
        descriptors: [Int32]
    ) throws(KeychainError) {
        guard let folder = OwnProgram.folder else {
            throw KeychainError(.notAvailable, "where this program is cannot be told")
        }
        try KeychainError.translating {
            // Nothing of this process's environment is its business.
            _ = try ChildProgram.start(
                folder + "/" + name,
                arguments,
                environment: ["SWIFT_BACKTRACE=enable=no"],
                descriptors: descriptors
            )
        }
    }
}
