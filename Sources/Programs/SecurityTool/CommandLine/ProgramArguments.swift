import Terminal

/// What was typed after the program's name.
///
/// An argument that is not UTF-8 is refused: the standard library would mend it without a word, and a mended password
/// is another password.
func programArguments() -> Result<[String], Failure> {
    var arguments: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
        guard let argument = unsafe CommandLine.unsafeArgv[index] else { break }
        guard let text = unsafe String(validatingCString: argument) else {
            return .failure(
                Failure(
                    "argument \(index) is not UTF-8; give a password's bytes with -X",
                    exitStatus: Console.usageStatus
                )
            )
        }
        arguments.append(text)
    }
    return .success(arguments)
}
