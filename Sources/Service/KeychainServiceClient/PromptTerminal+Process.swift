import Glibc
package import KeychainModel

extension PromptTerminal {
    /// Where the person is who uses this process: its terminal and its display, as gpg-agent's clients tell theirs. Nil where
    /// it has neither.
    package static let ofThisProcess: PromptTerminal? = {
        var terminal = PromptTerminal()
        terminal.name = Environment["GPG_TTY"] ?? nameOfStandardInput ?? ""
        terminal.display = Environment["DISPLAY"] ?? ""
        terminal.waylandDisplay = Environment["WAYLAND_DISPLAY"] ?? ""
        guard terminal != PromptTerminal() else { return nil }
        terminal.type = Environment["TERM"] ?? ""
        terminal.locale = Environment["LC_ALL"] ?? Environment["LC_CTYPE"] ?? Environment["LANG"] ?? ""
        return terminal
    }()

    private static var nameOfStandardInput: String? {
        var name = [UInt8](repeating: 0, count: 256)
        let result = unsafe name.withUnsafeMutableBytes { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                unsafe bytes.baseAddress.map { unsafe ttyname_r(STDIN_FILENO, $0, bytes.count) } ?? EINVAL
            }
        }
        guard result == 0 else { return nil }
        return String(validating: name.prefix { $0 != 0 }, as: UTF8.self)
    }
}
