import Foundation

/// The files by which a session's bus starts this service, and not another one. They are the user's own: those of the
/// system, and of gnome-keyring's package, stay as they are.
struct SessionFiles {
    private let data: String
    private let configuration: String

    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        guard let data = Self.folder("XDG_DATA_HOME", "/.local/share", environment),
            let configuration = Self.folder("XDG_CONFIG_HOME", "/.config", environment)
        else { throw Failure("there is no home folder") }
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

    private static let mark = "# Written by chatelaine secrets enable."

    func write(program: String) throws {
        try Self.write(
            """
            \(Self.mark)
            [D-BUS Service]
            Name=org.freedesktop.secrets
            Exec=\(program) serve
            SystemdService=chatelaine-secrets.service

            """,
            to: activation
        )
        try Self.write(
            """
            \(Self.mark)
            [Desktop Entry]
            Type=Application
            Name=Secret Storage Service
            Hidden=true

            """,
            to: autostart
        )
    }

    /// - Returns: the files that were removed.
    func remove() throws -> [String] {
        try [activation, autostart].filter { path in
            guard let text = try? String(contentsOfFile: path, encoding: .utf8), text.hasPrefix(Self.mark) else {
                return false
            }
            try FileManager.default.removeItem(atPath: path)
            return true
        }
    }

    var isEnabled: Bool {
        (try? String(contentsOfFile: activation, encoding: .utf8))?.hasPrefix(Self.mark) ?? false
    }

    /// What somebody else wrote there stays.
    private static func write(_ text: String, to path: String) throws {
        if let before = try? String(contentsOfFile: path, encoding: .utf8), !before.hasPrefix(mark) {
            throw Failure("\(path) is there already, and is not of this command; move it away first")
        }
        let folder = (path as NSString).deletingLastPathComponent
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        } catch {
            throw Failure("\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
