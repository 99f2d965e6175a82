import Foundation
import Glibc
import KeychainSystem
import Terminal

/// The files by which a session's bus starts this service, and not another one. They are the user's own: those of the
/// system, and of gnome-keyring's package, stay as they are.
struct SessionFiles {
    private let environment: [String: String]
    private let data: String
    private let configuration: String

    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        guard let data = Self.folder("XDG_DATA_HOME", "/.local/share", environment),
            let configuration = Self.folder("XDG_CONFIG_HOME", "/.config", environment)
        else { throw Failure("there is no home folder") }
        self.environment = environment
        self.data = data
        self.configuration = configuration
    }

    /// A folder of the user's, as the XDG Base Directory Specification finds it; nil where there is no home folder.
    static func folder(_ name: String, _ usual: String, _ environment: [String: String]) -> String? {
        if let folder = environment[name], folder.hasPrefix("/") { return folder }
        return environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + usual : nil }
    }

    /// D-Bus Specification, "Message Bus Starting Services": the user's folder comes before the system's.
    var activation: String { data + "/dbus-1/services/org.freedesktop.secrets.service" }
    /// Desktop Application Autostart Specification: a file of the same name takes the system's away.
    var autostart: String { configuration + "/autostart/gnome-keyring-secrets.desktop" }
    /// What changes gnome-keyring's unit, by which newer desktops start it (systemd.unit(5), "drop-in").
    var dropIn: String { "\(configuration)/systemd/user/\(Self.otherUnit).d/chatelaine.conf" }

    private static let mark = "# Written by chatelaine secrets enable."
    private static let unit = "chatelaine-secrets.service"
    private static let otherUnit = "gnome-keyring-daemon.service"

    /// Writes all, or none where one of them is somebody else's.
    func write(program: String) throws {
        guard !program.contains(where: \.isNewline) else { throw Failure("the path of this program has a line's end") }
        var files = [(activation, activation(of: program)), (autostart, Self.hiding)]
        if let text = withoutSecrets { files.append((dropIn, text)) }
        for (path, _) in files {
            if FileManager.default.contents(atPath: path).map({ !$0.starts(with: Self.mark.utf8) })
                ?? Self.isThere(path)
            {
                throw Failure("\(path) is there already, and is not of this command; move it away first")
            }
        }
        for (path, text) in files { try Self.write(text, to: path) }
    }

    /// Also what cannot be read, or is a link to nothing.
    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// - Returns: the files that were removed.
    func remove() throws -> [String] {
        try [activation, autostart, dropIn].filter { path in
            guard let text = try? String(contentsOfFile: path, encoding: .utf8), text.hasPrefix(Self.mark) else {
                return false
            }
            guard unsafe unlink(path) == 0 else { throw SystemError("\(path) cannot be removed") }
            return true
        }
    }

    var isEnabled: Bool {
        (try? String(contentsOfFile: activation, encoding: .utf8))?.hasPrefix(Self.mark) ?? false
    }

    // MARK: - What they say

    private func activation(of program: String) -> String {
        // A bus that systemd has started starts the unit, and nothing where there is none, as after an installation in a
        // folder that systemd does not look into.
        let unit = UserUnit(Self.unit, in: environment) == nil ? "" : "SystemdService=\(Self.unit)\n"
        return """
            \(Self.mark)
            [D-BUS Service]
            Name=org.freedesktop.secrets
            Exec=\(ActivationFile.quoted(program)) serve
            \(unit)
            """
    }

    private static let hiding = """
        \(mark)
        [Desktop Entry]
        Type=Application
        Name=Secret Storage Service
        Hidden=true

        """

    /// Has gnome-keyring's unit do all that it does but secrets. Nil where it has no such unit, or nothing to leave out.
    private var withoutSecrets: String? {
        guard let unit = UserUnit(Self.otherUnit, in: environment),
            let text = try? String(contentsOfFile: unit.path, encoding: .utf8),
            let start = text.split(separator: "\n").last(where: { $0.hasPrefix("ExecStart=") })
        else { return nil }
        let option = "--components="
        let words = start.split(separator: " ").map { word in
            guard word.hasPrefix(option) else { return String(word) }
            let listed = word.dropFirst(option.count).filter { $0 != "\"" && $0 != "'" }.split(separator: ",")
            return option + listed.filter { $0 != "secrets" }.joined(separator: ",")
        }
        // With no component named, it takes all of them.
        guard words.joined(separator: " ") != start, !words.contains(option) else { return nil }
        return """
            \(Self.mark)
            [Service]
            ExecStart=
            \(words.joined(separator: " "))

            """
    }

    private static func write(_ text: String, to path: String) throws {
        let folder = (path as NSString).deletingLastPathComponent
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        } catch {
            throw Failure("\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
