import EnclaveClient
import Foundation
import KeychainClient
import KeychainModel
import KeychainProtocol
import KeychainTestSupport
import LocalEnclave

/// The real service in a folder of a test's own, with the keychain of the user that the tests run as.
///
/// Unchecked, since only the thread that made it starts it anew.
final class LockedService: @unchecked Sendable {
    let mode: ServiceProcess.Mode
    private(set) var process: ServiceProcess
    private let keychain: TestKeychain

    static let passcode = SecretBytes(Array("passcode".utf8))

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(_ mode: ServiceProcess.Mode) throws {
        self.mode = mode
        keychain = try TestKeychain()
        // Other users' processes have to get through it.
        chmod(keychain.surroundings, 0o755)
        process = try Self.start(mode, keychain.surroundings)
    }

    private static func start(_ mode: ServiceProcess.Mode, _ folder: String) throws -> ServiceProcess {
        var log = ""
        // An enclave that has lost its service a moment ago may still have the owners' socket.
        for _ in 0..<100 {
            try? FileManager.default.removeItem(atPath: folder + "/log")
            let process = try ServiceProcess(in: folder, mode: mode)
            if process.waitUntilReady() { return process }
            log = process.log
            usleep(50_000)
        }
        throw Failure(description: log)
    }

    /// Kills the service, as a crash would, and starts it anew.
    func restart() throws {
        process.kill()
        _ = process.waitForExit()
        process = try Self.start(mode, folder)
    }

    // MARK: - Reaching it

    var folder: String { keychain.surroundings }
    var address: ServiceAddress { ServiceAddress(path: process.socket, kind: .session) }
    var client: ServiceConnection { ServiceConnection(address) }

    func control() throws -> RemoteEnclaveControl {
        try RemoteEnclaveControl(connectingTo: folder + "/enclave.sock")
    }

    /// Runs `chatelaine` against it.
    ///
    /// - Returns: the status, and what it said.
    func chatelaine(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: ServiceProcess.program("chatelaine"))
        process.arguments = arguments
        process.environment = ["CHATELAINE_KEYCHAIN": "unix:" + self.process.socket, "PATH": "/usr/bin:/bin"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.runHearingSignals()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitForExit()
        return (process.terminationStatus, text)
    }

    // MARK: - Its processes and files

    /// Where the enclave's files of this user are.
    var enclaveFolder: String {
        switch mode {
        case .session: process.directory
        case .system: folder + "/enclave/users/\(getuid())"
        }
    }

    /// Where this user's database is.
    var databaseFolder: String {
        switch mode {
        case .session: process.directory
        case .system: process.directory + "/users/\(getuid())/keychain"
        }
    }

    /// Opens a copy of the enclave's files in this process, as they lie there.
    func copiedEnclave() throws -> LocalEnclave {
        let copy = folder + "/copy-" + UUID().uuidString
        try Self.copy(["device.key", "keybag"], from: enclaveFolder, to: copy)
        return try LocalEnclaveFolder(path: copy).openLocal()
    }

    /// Copies the files of those names that are there, for this process's user alone.
    static func copy(_ names: [String], from source: String, to target: String) throws {
        let manager = FileManager.default
        let isPrivate: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try manager.createDirectory(atPath: target, withIntermediateDirectories: true, attributes: isPrivate)
        for name in names where manager.fileExists(atPath: source + "/" + name) {
            let file = target + "/" + name
            try Data(contentsOf: URL(fileURLWithPath: source + "/" + name)).write(to: URL(fileURLWithPath: file))
            chmod(file, 0o600)
        }
    }

    /// The processes that may have keys: the service, and the enclave where that is another one.
    var keepers: [String: Int32] {
        switch mode {
        case .session: ["service": process.identifier]
        case .system: ["service": process.identifier, "enclave": enclave ?? -1]
        }
    }

    private var enclave: Int32? {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap(Int32.init) ?? []
        return numbers.first { number in
            let status = (try? String(contentsOfFile: "/proc/\(number)/status", encoding: .utf8)) ?? ""
            return status.hasPrefix("Name:\tchatelaine-encl") && status.contains("PPid:\t\(process.identifier)\n")
        }
    }
}

// MARK: - Requests

enum Item {
    static func add(_ account: String, _ accessible: Accessibility = .whenUnlocked, secret: [UInt8]) -> AddRequest {
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes["acct"] = .string(account)
        request.attributes["svce"] = .string("service")
        request.accessibility = accessible
        request.secrets[.valueData] = SecretBytes(secret)
        return request
    }

    static func find(_ account: String? = nil) -> FindRequest {
        var query = ItemQuery(itemClass: .genericPassword)
        if let account { query.filters["acct"] = .string(account) }
        var request = FindRequest(query: query)
        request.limit = account == nil ? .all : .one
        request.returns = [.data, .attributes]
        return request
    }
}
