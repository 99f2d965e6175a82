import Foundation
import Glibc
import KeychainTestSupport

/// A sandbox like those that Flatpak makes, by bubblewrap, with a marker that says which application is in it. Anybody can
/// make one.
///
/// bubblewrap gives it a mount namespace and an empty root folder of its own, so the marker is nowhere else.
struct Sandbox {
    /// Why there can be none on this machine, or nil.
    static let obstacle: String? = {
        guard let process = try? started(["bwrap", "--version"]), process.waitForExit() == 0 else {
            return "needs bubblewrap, which scripts/setup.sh --tests installs"
        }
        let tried = try? started(["bwrap", "--ro-bind", "/", "/", "true"])
        return tried?.waitForExit() == 0 ? nil : "bubblewrap cannot make a sandbox here"
    }()

    private static func started(_ words: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.runHearingSignals()
        return process
    }

    private let folder: String
    private let marker: String

    /// - Parameters:
    ///   - application: which the marker names.
    ///   - folder: a site's. The sandbox has it, and the system's programs.
    init(of application: String, in folder: String) throws {
        self.folder = folder
        marker = "\(folder)/\(application).flatpak-info"
        try """
        [Application]
        name=\(application)
        runtime=runtime/org.freedesktop.Platform/x86_64/23.08

        [Instance]
        instance-id=\(UInt32.random(in: 1...UInt32.max))

        [Context]

        """.write(toFile: marker, atomically: true, encoding: .utf8)
    }

    /// A line of bash that runs another one in there.
    func line(_ line: String) -> String {
        let quoted = line.replacingOccurrences(of: "'", with: "'\\''")
        let own = ["/bin", "/lib", "/lib64", "/sbin"].map { "--symlink usr\($0) \($0)" }.joined(separator: " ")
        return "bwrap --ro-bind /usr /usr \(own) --ro-bind /etc /etc --proc /proc --dev /dev "
            + "--bind '\(folder)' '\(folder)' --ro-bind '\(marker)' /.flatpak-info --chdir '\(folder)' "
            + "bash -c '\(quoted)'"
    }
}
