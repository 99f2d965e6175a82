import KeychainModel
import KeychainSystem
import Terminal

/// A program of ours that one of the tool's commands stands for. The tool becomes it, so that the keychain service sees that
/// program and not the tool, and the items are those that the program uses by itself.
enum ForwardedProgram {
    /// Becomes the program: the one in `../libexec/chatelaine`, or beside the tool in a build folder.
    ///
    /// - Throws: where there is none.
    static func execute(_ name: String, _ arguments: [String]) throws -> Never {
        let folder = try folder()
        for path in ["\(folder)/../libexec/chatelaine/\(name)", "\(folder)/\(name)"]
        where ChildProgram.isExecutable(path) {
            try become(path, [path] + arguments)
        }
        throw Failure("the program \(name) is not installed")
    }

    /// Becomes a program, with this environment.
    ///
    /// - Parameter words: its arguments, beginning with its name.
    /// - Throws: where it cannot be started.
    static func become(_ path: String, _ words: [String]) throws -> Never {
        throw Failure("\(ChildProgram.become(path, words))")
    }

    /// The folder that the tool is in.
    static func folder() throws -> String {
        guard let folder = OwnProgram.folder else { throw Failure("the command cannot tell where it is installed") }
        return folder
    }
}
