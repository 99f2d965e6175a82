import Foundation
import SecretServiceModel

/// A file by which the session's bus starts the owner of a name (D-Bus Specification, "Message Bus Starting Services").
struct ActivationFile {
    let path: String
    /// What is started; empty where the file does not say.
    let program: String
    /// The user's unit that is started instead, by a bus that systemd has started.
    let unit: String?

    /// Whether it starts this service, whoever wrote it.
    var isOwn: Bool { (program as NSString).lastPathComponent == "chatelaine-secrets" }

    /// All files for the Secret Service. The bus takes the first.
    static func all(in environment: [String: String]) -> [ActivationFile] {
        folders(in: environment).flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.filter { $0.hasSuffix(".service") }.sorted().compactMap { Self("\(folder)/\($0)") }
        }
    }

    private static func folders(in environment: [String: String]) -> [String] {
        let runtime = environment["XDG_RUNTIME_DIR"].map { [$0] } ?? []
        let own = SessionFiles.folder("XDG_DATA_HOME", "/.local/share", environment).map { [$0] } ?? []
        let listed = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
        // The last one is the bus's own, and stands even where the variable leaves it out.
        let shared = listed.split(separator: ":").map(String.init) + ["/usr/share"]
        var folders: [String] = []
        for folder in runtime + own + shared where folder.hasPrefix("/") && !folders.contains(folder) {
            folders.append(folder)
        }
        return folders.map { $0 + "/dbus-1/services" }
    }

    /// - Returns: nil for a file of another name's.
    private init?(_ path: String) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        var values: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            if parts.count == 2 { values[parts[0]] = Self.unescaped(parts[1]) }
        }
        guard values["Name"] == SecretInterface.name else { return nil }
        self.path = path
        program = values["Exec"].map(Self.firstWord) ?? ""
        unit = values["SystemdService"]
    }

    // MARK: - Words

    /// A value without the escapes of such files, of which Exec may need one: `\\\\` is a backslash.
    private static func unescaped(_ value: String) -> String { value.replacingOccurrences(of: "\\\\", with: "\\") }

    /// The first word of a line that is read as a shell does.
    private static func firstWord(of line: String) -> String {
        var word = ""
        var quote: Character?
        var isEscaped = false
        for character in line {
            if isEscaped {
                word.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else if quote == nil, character == " " {
                break
            } else {
                word.append(character)
            }
        }
        return word
    }

    /// A path as a word of such a line, in such a file. A quote is put in other quotes: with a backslash the file would not be
    /// read.
    static func quoted(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: "+"):
                true
            default: false
            }
        }
        guard !isPlain else { return path }
        let word = "'" + path.replacingOccurrences(of: "'", with: "'\"'\"'") + "'"
        return word.replacingOccurrences(of: "\\", with: "\\\\")
    }
}
