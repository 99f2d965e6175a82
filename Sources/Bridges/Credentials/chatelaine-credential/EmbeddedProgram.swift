import KeychainModel
import KeychainSystem

/// The command that opens a keychain where no service does: `chatelaine`, which has the engine in it and starts three times
/// as slowly.
enum EmbeddedProgram {
    /// Becomes that command, under the name that this one was started with.
    ///
    /// - Returns: why it did not.
    static func execute(_ arguments: [String]) -> KeychainError {
        guard let own = OwnProgram.path, let folder = OwnProgram.folder else {
            return KeychainError(.notAvailable, "the program cannot tell where it is installed")
        }
        // Installed in libexec/chatelaine, or built beside it.
        for path in [folder + "/../../bin/chatelaine", folder + "/chatelaine"] where ChildProgram.isExecutable(path) {
            let name = arguments.first?.split(separator: "/").last.map(String.init) ?? ""
            _ = ChildProgram.become(path, ["chatelaine", "credential-helper", own, name] + arguments.dropFirst())
        }
        return KeychainError(.notAvailable, "the command chatelaine, which opens this keychain, is not there")
    }
}
