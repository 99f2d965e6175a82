import Crypto
import EnclaveClient
import Foundation
import KeychainModel
import KeychainTestSupport

@testable import EnclaveInterface
@testable import LocalEnclave

/// What any program of the victim's user has at hand against the owners' socket and through `chatelaine`, and what root has.
struct OwnersTools {
    private let site: AttackSite
    let service: AttackedService
    /// Where the attacker may write.
    let folder: String

    init(_ site: AttackSite, _ service: AttackedService) throws {
        self.site = site
        self.service = service
        _ = try Self.programs.get()
        folder = site.folder + "/attackers/\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false,
            attributes: [.ownerAccountID: AttackSite.user, .groupOwnerAccountID: AttackSite.user]
        )
    }

    private static let programs = Result {
        let site = try AttackSite.shared.get()
        for prefix in ["plain", "helped"] {
            let bin = site.folder + "/\(prefix)/bin"
            try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: ServiceProcess.program("chatelaine"), toPath: bin + "/chatelaine")
        }
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "AttackPrograms/packets.c").path
        let compiled = try Command(["cc", "-O1", "-o", site.folder + "/packets", source]).run()
        guard compiled.status == 0 else { throw AttackFailure(compiled.errors) }
        // In the place of the helper that has the system authenticate the person: it hands on what root left for it.
        let libexec = site.folder + "/helped/libexec/chatelaine"
        try FileManager.default.createDirectory(atPath: libexec, withIntermediateDirectories: true)
        try Data("#!/bin/sh\nexec cat \"${0%/*}/$1\"\n".utf8).write(
            to: URL(filePath: libexec + "/chatelaine-authorize")
        )
        chmod(libexec + "/chatelaine-authorize", 0o4755)
    }

    /// Why the helper's place cannot be taken on this machine, or nil.
    static let hasPolkitOfOurs = FileManager.default.fileExists(
        atPath: "/usr/share/polkit-1/actions/org.chatelaine.policy"
    )

    private var socket: String { service.folder + "/enclave.sock" }

    // MARK: - As the victim's user

    /// Runs a line of shell in which `chatelaine` is the command, in a folder of the attacker's own.
    func shell(_ line: String, isHelped: Bool = false) throws -> Command.Result {
        let words = ["sh", "-c", "cd '\(folder)' && \(line)"]
        return try Command(words, as: AttackSite.user, environment: environment(isHelped: isHelped)).run()
    }

    private func environment(isHelped: Bool) -> [String: String] {
        let bin = site.folder + (isHelped ? "/helped/bin" : "/plain/bin")
        return ["PATH": bin + ":/usr/bin:/bin", "CHATELAINE_KEYCHAIN": "unix:" + service.socket]
    }

    /// Whether a line has written the secret, into a file or to the attacker.
    func reveals(_ line: String) throws -> Bool {
        let result = try shell(line)
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
        let contents = files.compactMap { FileManager.default.contents(atPath: folder + "/" + $0) }
        return result.contains(site.secret) || contents.contains { $0.contains(bytes: site.secret.utf8) }
    }

    /// Sends messages over one connection, so many times.
    ///
    /// - Returns: the failure in each of the last replies, or nil.
    func ask(
        _ requests: [any EnclaveRequest],
        times: Int = 1,
        about uid: UInt32 = AttackSite.user
    ) throws -> [KeychainError?] {
        let messages = try requests.map { try Self.hexadecimal($0.encoded(id: 1, uid: uid)) }
        let words = [site.folder + "/packets", socket, "\(times)"] + messages
        let result = try Command(words, as: AttackSite.user, environment: ["PATH": "/usr/bin:/bin"]).run()
        guard result.status == 0 else { throw AttackFailure(result.text + result.errors + service.logText) }
        let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
        guard lines.count == requests.count else { throw AttackFailure("\(lines.count) replies") }
        var failures: [KeychainError?] = []
        for (line, request) in zip(lines, requests) {
            failures.append(try Self.failure(in: Self.bytes(line), of: request))
        }
        return failures
    }

    /// The error of one request; nil where it was done.
    func failure(_ request: any EnclaveRequest, about uid: UInt32 = AttackSite.user) throws -> KeychainError.Code? {
        try ask([request], about: uid).first??.code
    }

    private static func failure<Request: EnclaveRequest>(
        in reply: [UInt8],
        of _: Request
    ) throws -> KeychainError? {
        if case .failure(let error) = try EnclaveReply(reply, to: Request.self).result { error } else { nil }
    }

    static func changePasscode(
        from old: SecretBytes?,
        to new: SecretBytes?,
        with token: AuthorizationToken?
    ) -> any EnclaveRequest {
        guard let token else { return ChangePasscodeRequest(from: old, to: new) }
        return ChangePasscodeWithTokenRequest(from: old, to: new, with: token)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static func bytes(_ digits: Substring) -> [UInt8] {
        let values = digits.compactMap { $0.hexDigitValue }
        return stride(from: 0, to: values.count - 1, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }

    // MARK: - As root

    func root(of uid: UInt32 = AttackSite.user) throws -> RemoteEnclaveControl {
        try RemoteEnclaveControl(connectingTo: socket, uid: uid)
    }

    /// Has the helper in its place hand on a token.
    func handOn(_ token: AuthorizationToken, for operation: String) throws {
        let file = site.folder + "/helped/libexec/chatelaine/" + operation
        try Data((Self.hexadecimal(token.bytes) + "\n").utf8).write(to: URL(filePath: file))
    }

    /// The victim's own answer from the service. On a busy machine the service may give up a caller: it is asked again.
    func victimReads() throws -> Bool {
        let environment = site.environment.merging(["SOCKET": service.socket]) { $1 }
        for _ in 0..<3 {
            let answer = try Command([site.victim, "get"], as: AttackSite.user, environment: environment).run()
            if answer.contains(site.secret) { return true }
        }
        return false
    }

    // MARK: - An older version's

    /// Ends the service and starts it anew, with the keybag as the second version of its format would have it.
    ///
    /// - Parameter wipesAfter: what any program could set there.
    func restartedWithOlderKeybag(wipesAfter: UInt32? = nil) throws -> OwnersTools {
        kill(service.process, SIGTERM)
        guard service.hasEnded() else { throw AttackFailure("the service does not end") }
        let keys = service.folder + "/enclave/users/\(AttackSite.user)"
        let file = try DeviceKeyFile(file: SecretBytes(Data(contentsOf: URL(filePath: keys + "/device.key"))))
        var bytes = Array(try Data(contentsOf: URL(filePath: keys + "/keybag")).dropLast(32))
        guard bytes[4] == 3, let uuid = ItemUUID(bytes[24..<40]) else { throw AttackFailure("another keybag") }
        bytes[4] = 2
        if let wipesAfter { bytes.replaceSubrange(53..<57, with: wipesAfter.bigEndianBytes) }
        // The last byte of the passcode's part, where there is a passcode.
        if bytes[66] == 1 { bytes.remove(at: 67 + 68) }
        bytes += Keybag.authenticationCode(of: bytes, under: file.key, uuid: uuid)
        let handle = try FileHandle(forWritingTo: URL(filePath: keys + "/keybag"))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
        let restarted = try OwnersTools(
            site,
            AttackedService(site, without: [], options: ["--tpm", "none"], in: service.folder)
        )
        // A service that nobody has asked for anything hears of no change.
        _ = try restarted.victimReads()
        return restarted
    }
}
