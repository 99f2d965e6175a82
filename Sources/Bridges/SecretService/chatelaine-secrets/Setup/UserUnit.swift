import Foundation

/// A unit of the user's service manager, as the files say (systemd.unit(5), "Unit File Load Path").
struct UserUnit {
    let path: String

    /// - Returns: nil where there is none of this name.
    init?(_ name: String, in environment: [String: String]) {
        let configuration = SessionFiles.folder("XDG_CONFIG_HOME", "/.config", environment)
        let data = SessionFiles.folder("XDG_DATA_HOME", "/.local/share", environment)
        let folders = [
            configuration.map { $0 + "/systemd" }, "/etc/systemd",
            environment["XDG_RUNTIME_DIR"].map { $0 + "/systemd" },
            "/run/systemd", data.map { $0 + "/systemd" }, "/usr/local/share/systemd", "/usr/share/systemd",
            "/usr/local/lib/systemd", "/usr/lib/systemd", "/lib/systemd",
        ]
        let paths = folders.compactMap { $0 }.map { "\($0)/user/\(name)" }
        // A mask is a link, and leads nowhere that counts.
        guard let path = paths.first(where: { (try? FileManager.default.attributesOfItem(atPath: $0)) != nil }) else {
            return nil
        }
        self.path = path
    }

    /// Whether somebody has said that it is never to be started.
    var isMasked: Bool {
        if (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == "/dev/null" { return true }
        return (try? Data(contentsOf: URL(filePath: path)))?.isEmpty ?? false
    }
}
