import KeychainModel
import Terminal

/// What the program says when it is asked about itself, or not understood.
enum Usage {
    private static let text = """
        usage: chatelaine-credential git get|store|erase|capability
               chatelaine-credential docker store|get|erase|list|version
               chatelaine-credential cargo --cargo-plugin
               chatelaine-credential keyring get|set|del SERVICE USER
               chatelaine-credential aws [set|delete] PROFILE
               chatelaine-credential kubectl [set|delete] NAME

        Gives other programs their credentials from the keychain: see chatelaine-credential(1).

        """

    /// - Returns: the exit status.
    static func answer(_ arguments: [String]) -> Int32 {
        switch arguments {
        case ["--help"], ["-h"], ["help"]: return Console.write(Array(text.utf8)) == 0 ? 0 : 1
        case ["--version"]:
            return Console.write(Array("chatelaine-credential \(ProductVersion.current)\n".utf8)) == 0 ? 0 : 1
        default:
            Console.printError(text)
            return 2
        }
    }
}
