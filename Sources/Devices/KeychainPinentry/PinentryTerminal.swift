import CKeychainLinux
import Glibc

/// Where a person is asked: a terminal, a display, or both; then the pinentry chooses.
///
/// A program that asks may name its own. Then nothing of it is believed, and a value that does not look like what it
/// should be counts as not given. What such a program says can still be a terminal or a display of its own, where it
/// types the answers itself: a secret from there is worth as much as knowing it, and an acceptance nothing.
package struct PinentryTerminal: Sendable, Equatable {
    /// The path of a terminal's device, such as `/dev/pts/3`.
    package let ttyName: String?
    /// What the terminal understands, as in `TERM`.
    package let ttyType: String?
    /// An X11 display of this machine, or one that ssh forwards, as in `DISPLAY`.
    package let display: String?
    /// The name of a Wayland socket, as in `WAYLAND_DISPLAY`.
    package let waylandDisplay: String?
    /// The locale of what is shown and typed, as in `LC_CTYPE`.
    package let lcCtype: String?
    /// The locale of the pinentry's own words, as in `LC_MESSAGES`.
    package let lcMessages: String?

    package init(
        ttyName: String? = nil,
        ttyType: String? = nil,
        display: String? = nil,
        waylandDisplay: String? = nil,
        lcCtype: String? = nil,
        lcMessages: String? = nil
    ) {
        self.ttyName = ttyName.flatMap { Self.isTerminal($0) ? $0 : nil }
        self.ttyType = ttyType.flatMap { Self.isName($0, with: "+._-") ? $0 : nil }
        self.display = display.flatMap { Self.isDisplay($0) ? $0 : nil }
        self.waylandDisplay = waylandDisplay.flatMap { Self.isName($0, with: "._-") ? $0 : nil }
        self.lcCtype = lcCtype.flatMap { Self.isName($0, with: "._@-") ? $0 : nil }
        self.lcMessages = lcMessages.flatMap { Self.isName($0, with: "._@-") ? $0 : nil }
    }

    /// The terminal and the displays of this process, by its environment and its standard input.
    package static var ofThisProcess: PinentryTerminal {
        PinentryTerminal(
            // GPG_TTY is how people already say where a pinentry is to appear (gpg-agent(1)).
            ttyName: environment("GPG_TTY") ?? nameOfStandardInput(),
            ttyType: environment("TERM"),
            display: environment("DISPLAY"),
            waylandDisplay: environment("WAYLAND_DISPLAY"),
            lcCtype: locale("LC_CTYPE"),
            lcMessages: locale("LC_MESSAGES")
        )
    }

    var withoutTTY: PinentryTerminal {
        PinentryTerminal(
            display: display,
            waylandDisplay: waylandDisplay,
            lcCtype: lcCtype,
            lcMessages: lcMessages
        )
    }

    /// A variable that has a value.
    static func environment(_ name: String) -> String? {
        guard let value = unsafe clinux_environment(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// In the order of setlocale(3).
    private static func locale(_ category: String) -> String? {
        environment("LC_ALL") ?? environment(category) ?? environment("LANG")
    }

    private static func nameOfStandardInput() -> String? {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe ttyname_r(STDIN_FILENO, &name, name.count) == 0 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static let longest = 64

    /// Letters and digits of ASCII and these, not beginning with a sign.
    private static func isName(_ text: String, with signs: String) -> Bool {
        let bytes = Array(text.utf8)
        let signs = Array(signs.utf8)
        guard let first = bytes.first, bytes.count <= longest, isLetterOrDigit(first) else { return false }
        return bytes.allSatisfy { isLetterOrDigit($0) || signs.contains($0) }
    }

    private static func isTerminal(_ path: String) -> Bool {
        guard path.utf8.count <= longest, path.hasPrefix("/dev/") else { return false }
        let components = path.dropFirst("/dev/".count).split(separator: "/", omittingEmptySubsequences: false)
        guard components.allSatisfy({ isName(String($0), with: "_-") }), let first = components.first else {
            return false
        }
        // Paths that differ in each process, and folders in which any user may make links.
        return !["tty", "stdin", "stdout", "stderr", "fd", "shm", "mqueue"].contains(first) && components.last != "ptmx"
    }

    /// A display of another machine would be the asking program's own.
    private static func isDisplay(_ text: String) -> Bool {
        guard text.utf8.count <= longest, let colon = text.lastIndex(of: ":") else { return false }
        let numbers = text[text.index(after: colon)...].split(separator: ".", omittingEmptySubsequences: false)
        return ["", "unix", "localhost"].contains(String(text[..<colon])) && (1...2).contains(numbers.count)
            && numbers.allSatisfy { (1...5).contains($0.utf8.count) && $0.utf8.allSatisfy(isDigit) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
