import Foundation
import KeychainClient
import KeychainTestSupport

/// A real keychain service in a process of its own, one for the whole run, which takes this process for any program and
/// gives it any keychain.
final class BehaviourDaemon: Sendable {
    enum Mode: String {
        case session
        case system
    }

    struct Unavailable: Error {}

    private struct Part: Encodable {
        let groups: [String]
        let keychain: String
        let ownGroup: String?
    }

    /// So small that nearly every answer with several items comes in pages from a session's service, and from the system's
    /// as a whole.
    static let pageSize = 600

    static let session = Result { try BehaviourDaemon(.session) }
    static let system = Result { try BehaviourDaemon(.system) }

    let address: ServiceAddress
    private let directory: String
    /// Where it has the keychains of this process's user.
    private let keychains: String
    /// Ends the daemon when it is closed, at the latest with this process.
    private let input = Pipe()

    private init(_ mode: Mode) throws {
        // In memory: what a disk does to a service is tested elsewhere. A socket's path has 107 bytes at most.
        let folder = "\(TestKeychain.folderInMemory)/behaviour-\(mode.rawValue)-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        Self.removeAtExit(folder)
        directory = folder
        address = ServiceAddress(path: folder + "/socket", kind: .session)
        var options = ["--directory", folder + "/keychains", "--socket", folder + "/socket", "--callers-by-address"]
        switch mode {
        case .session:
            options += ["--session", "--page-size", "\(Self.pageSize)"]
            keychains = folder + "/keychains"
        case .system:
            // Numbers that nobody has.
            options += [
                "--system", "--teams", folder, "--user", "64001", "--identify-user", "64002", "--marker-group", "64003",
                "--enclave-user", "64004", "--enclave-directory", folder + "/enclave",
            ]
            keychains = folder + "/keychains/users/\(getuid())"
        }
        let process = Process()
        // A shell that ends the service at the end of its input, which this process holds open as long as it lives.
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments =
            [
                "-c", "\"$@\" & service=$!; read nothing; kill $service", "sh",
                ServiceProcess.program("unchecked-daemon"),
            ]
            + options
        process.standardInput = input
        process.standardError = FileHandle(forWritingAtPath: "/dev/null")
        try process.runHearingSignals()
        let client = ServiceConnection(address)
        for _ in 0..<1500 {
            if (try? client.identity()) != nil { return }
            usleep(20_000)
        }
        throw Unavailable()
    }

    /// A connection for a program with the given groups, to the keychain of a name.
    func connection(groups: [String], ownGroup: String? = nil, keychain: String) -> ServiceConnection {
        let part = Part(groups: groups, keychain: keychain, ownGroup: ownGroup)
        let directory = directory
        return ServiceConnection(address) {
            // No two sockets can have one name.
            let path = directory + "/" + UUID().uuidString
            try? JSONEncoder().encode(part).write(to: URL(fileURLWithPath: path))
            return "chatelaine-test" + path
        }
    }

    func remove(_ keychain: String) {
        try? FileManager.default.removeItem(atPath: keychains + "/" + keychain)
    }

    // MARK: - At the end

    nonisolated(unsafe) private static var folders: [String] = []
    private static let isRegistered: Void = {
        atexit { for folder in BehaviourDaemon.folders { try? FileManager.default.removeItem(atPath: folder) } }
    }()

    private static func removeAtExit(_ folder: String) {
        _ = isRegistered
        folders.append(folder)
    }
}
