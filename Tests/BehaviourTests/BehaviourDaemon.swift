import Foundation
import KeychainClient
import Testing

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
    }

    static let session = Result { try BehaviourDaemon(.session) }
    static let system = Result { try BehaviourDaemon(.system) }

    let address: ServiceAddress
    private let directory: String
    /// Where it has the keychains of this process's user.
    private let keychains: String
    /// Ends the daemon when it is closed, at the latest with this process.
    private let input = Pipe()

    private init(_ mode: Mode) throws {
        // A short path: a socket's has 107 bytes at most.
        let folder = "/tmp/behaviour-\(mode.rawValue)-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        Self.removeAtExit(folder)
        directory = folder
        let products = CommandLine.productsFolder
        let process = Process()
        process.executableURL = URL(fileURLWithPath: products + "/unchecked-daemon")
        process.arguments = [
            "--directory", folder + "/keychains", "--socket", folder + "/socket", "--callers-by-address",
        ]
        switch mode {
        case .session:
            process.arguments?.append("--session")
            keychains = folder + "/keychains"
        case .system:
            // Numbers that nobody has.
            process.arguments? += [
                "--teams", folder, "--user", "64001", "--identify-user", "64002", "--marker-group", "64003",
                "--identify", products + "/chatelaine-identify",
            ]
            keychains = folder + "/keychains/users/\(getuid())"
        }
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        guard output.fileHandleForReading.availableData == Data("ready\n".utf8) else { throw Unavailable() }
        address = ServiceAddress(path: folder + "/socket", kind: .session)
    }

    /// A connection for a program with the given groups, to the keychain of a name.
    func connection(groups: [String], keychain: String) -> ServiceConnection {
        let part = Part(groups: groups, keychain: keychain)
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

extension CommandLine {
    /// The folder in which the tests, and the programs that they start, were built.
    fileprivate static var productsFolder: String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }
}
