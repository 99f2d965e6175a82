import Crypto
import EnclaveInterface
import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@testable import EnclaveClient
@testable import EnclaveServer
@testable import KeychainSystem

/// Programs that say that the session was unlocked with a finger, and services that make too much of it.
@Suite(.enabled(if: geteuid() == 0, "needs another user"), .timeLimit(.minutes(5)))
struct SessionUnlockTests {
    /// Numbers that nobody has.
    private static let prompter: UInt32 = 64_714
    private static let witness: UInt32 = 64_715
    private static let bank = VouchedProgram(pid: 7, path: "/usr/bin/bank", isInstalled: true, connection: 1)
    private static let passcode = SecretBytes(Array("passcode".utf8))

    private let uid: UInt32 = 1000
    private let served: ServedEnclave
    private let channel: PacketSocket
    private let reader: Reader

    /// Reads fingers for the enclave: it says what the test says of each user's.
    private final class Reader {
        let folder: String
        private let process = Process()

        init(_ served: ServedEnclave) throws {
            folder = served.folder + "/fingers"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            chmod(folder, 0o755)
            let register = try Self.hex(RegisterPrompterRequest(.biometry), uid: 0)
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "setpriv", "--reuid", "\(SessionUnlockTests.prompter)", "--regid", "\(SessionUnlockTests.prompter)",
                "--clear-groups", "/usr/bin/python3", "-c",
                """
                import socket
                s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                s.connect('\(served.controlPath)')
                s.send(bytes.fromhex('\(register)'))
                while message := s.recv(65536):
                    if message[1] == 251:
                        uid = int.from_bytes(message[8:12], 'big')
                        s.send(bytes.fromhex(open('\(folder)/%d' % uid).read()))
                """,
            ]
            try process.runHearingSignals()
        }

        deinit {
            kill(process.processIdentifier, SIGKILL)
            process.waitForExit()
        }

        static func hex(_ request: any EnclaveRequest, uid: UInt32) throws -> String {
            try request.encoded(id: 1, uid: uid).map { String(format: "%02x", $0) }.joined()
        }

        /// What is enrolled from now on, by a number; nil for nothing.
        func enrol(_ number: UInt8?, of uid: UInt32) throws {
            let set = try #require(EnrolledSet([UInt8](repeating: number ?? 0, count: 32)))
            let state = ReaderState(obstacle: number == nil ? .notEnrolled : nil, set: set)
            let path = folder + "/\(uid)"
            try Self.hex(ReaderStateRequest(state, of: .biometry), uid: uid).write(
                toFile: path,
                atomically: true,
                encoding: .utf8
            )
            chmod(path, 0o644)
        }
    }

    init() throws {
        served = try ServedEnclave(prompter: Self.prompter, witness: Self.witness)
        chmod(served.controlPath, 0o666)
        chmod(served.folder, 0o755)
        channel = try served.rawChannel()
        for user in [uid, uid + 1] { try channel.ask(CreateKeychainRequest(), uid: user) }
        reader = try Reader(served)
        for user in [uid, uid + 1] { try reader.enrol(7, of: user) }
        try waitForBiometry(.nobodyToAsk)
    }

    /// Waits until it is what stands in a finger's way. Without an agent nobody can be asked for one, which makes every
    /// proof here one that nobody was asked for.
    private func waitForBiometry(_ obstacle: PresenceFailure) throws {
        for _ in 0..<2_000 {
            if try channel.ask(PresenceStatusRequest(), uid: uid)[.biometry].obstacle == obstacle { return }
            usleep(5_000)
        }
        throw KeychainError(.notAvailable, "nobody reads fingers")
    }

    // MARK: - What is said

    /// Says something over a connection of a user's, a number of times: how often it was answered as done.
    private func say(
        _ request: any EnclaveRequest,
        about uid: UInt32,
        as user: UInt32,
        inUserNamespace: Bool = false,
        times: Int = 1
    ) throws -> Int {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["setpriv", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups"]
            + (inUserNamespace ? ["unshare", "--user", "--map-root-user"] : [])
            + [
                "/usr/bin/python3", "-c",
                """
                import os, socket
                if \(inUserNamespace ? "True" : "False"): assert os.geteuid() == 0
                done = 0
                s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                s.connect('\(served.controlPath)')
                for _ in range(\(times)):
                    s.send(bytes.fromhex('\(try Reader.hex(request, uid: uid))'))
                    done += s.recv(65536)[1] == 128
                print(done)
                """,
            ]
        let output = Pipe()
        process.standardOutput = output
        try process.runHearingSignals()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitForExit()
        return try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    private func unlock(_ uid: UInt32? = nil) throws {
        let root = try PacketSocket(connectingTo: served.controlPath, within: .seconds(20))
        #expect(try root.refusal(of: SessionUnlockedRequest(), uid: uid ?? self.uid) == nil)
    }

    // MARK: - What the service asks

    private func vouched(_ program: VouchedProgram, uid: UInt32) throws -> AskerClaim {
        let voucher = try #require(AskerVoucher((0..<16).map { _ in UInt8.random(in: 0...255) }))
        #expect(try say(VouchRequest(for: program, by: voucher), about: uid, as: Self.witness) == 1)
        return .vouched(by: voucher, name: "org.example.bank")
    }

    private func context(_ groups: [String] = ["TEAM.bank"], of uid: UInt32? = nil) throws -> PresenceContextID {
        try channel.ask(OpenContextRequest(groups), uid: uid ?? self.uid)
    }

    private func ask(
        _ demand: PresenceDemand = .biometry,
        for duration: UnlockReuse = .longest,
        in scope: PresenceScope? = nil,
        of program: VouchedProgram = bank,
        uid: UInt32? = nil
    ) throws -> Result<PresenceProof, KeychainError> {
        let uid = uid ?? self.uid
        let question = PresenceQuestion(
            of: try vouched(program, uid: uid),
            demand,
            for: try scope ?? .context(context(of: uid)),
            reuse: duration
        )
        do {
            return .success(try channel.ask(AskOwnerRequest(question), uid: uid))
        } catch let error as KeychainError {
            return .failure(error)
        }
    }

    private func isProved(_ demand: PresenceDemand = .biometry, for duration: UnlockReuse = .longest) throws -> Bool {
        if case .success = try ask(demand, for: duration) { true } else { false }
    }

    private func item(_ group: String, _ flags: AccessControlFlags = .biometryAny) throws -> WrappedItemKey {
        let binding = ItemBinding.sample(
            group: group,
            guardedBy: try AccessControl(protection: "ak", flags: flags)
        )
        let key = UnwrappedItemKey(binding: binding, key: SymmetricKey(size: .bits256))
        guard let box = try channel.ask(WrapRequest([key]), uid: uid).first else {
            throw KeychainError(.internalError, "")
        }
        return WrappedItemKey(binding: binding, box: box)
    }

    private func opens(_ item: WrappedItemKey, _ proof: PresenceProof) throws -> Bool {
        let unwrap = UnwrapRequest([item], with: ItemCredentials(proofs: [proof]))
        return try channel.ask(unwrap, uid: uid).contains { (try? $0.get()) != nil }
    }

    // MARK: - The attacks

    @Test func `only root says that a session was unlocked, however often others say so`() throws {
        let message = SessionUnlockedRequest()
        #expect(try say(message, about: uid, as: uid, times: 10_000) == 0)
        #expect(try say(message, about: uid, as: uid + 1) == 0)
        #expect(try say(message, about: uid, as: uid, inUserNamespace: true) == 0)
        #expect(try say(message, about: uid, as: Self.prompter) == 0)
        #expect(try say(message, about: uid, as: Self.witness) == 0)
        #expect(try channel.refusal(of: message, uid: uid) == KeychainError(.noPermission, ""))
        #expect(try !isProved())
        // Also with a passcode, which none of them needed so far.
        try served.setPasscode(Self.passcode, of: uid)
        #expect(try say(message, about: uid, as: uid, times: 100) == 0)
        #expect(try !isProved())
        // The control.
        #expect(try say(message, about: uid, as: 0) == 1)
        #expect(try isProved())
    }

    @Test func `a service that was taken over gets five minutes and a finger, for what the context is for`() throws {
        try unlock()
        let (mine, other) = (try item("TEAM.bank"), try item("TEAM.mail"))
        let both = try item("TEAM.bank", [.biometryAny, .and, .devicePasscode])
        let context = try context()
        let weeks = UnlockReuse(milliseconds: .max)
        let proof = try ask(for: weeks, in: .context(context)).get()
        #expect(try opens(mine, proof))
        #expect(try !opens(other, proof) && !opens(both, proof))
        #expect(try !isProved(.passcode))
        let stranger = VouchedProgram(pid: 8, path: "/usr/bin/mail", isInstalled: true, connection: 2)
        let refused = try ask(for: weeks, in: .context(context), of: stranger)
        #expect(refused == .failure(KeychainError(.noPermission, "")))
        // Neither for items outside of contexts, nor for a program that nobody vouches for.
        let items = PresenceScope.items([mine.binding.uuid: "TEAM.bank"])
        #expect(try ask(for: weeks, in: items) == .failure(PresenceFailure.nobodyToAsk.error))
        let claim = AskerClaim.named("bank", isVerified: true)
        let unvouched = PresenceQuestion(of: claim, .biometry, for: .context(context), reuse: weeks)
        #expect(try channel.refusal(of: AskOwnerRequest(unvouched), uid: uid) == KeychainError(.noPermission, ""))
        // A lock ends what was proved, and the unlock, though there is no passcode and nothing else to lock.
        try channel.ask(LockRequest(), uid: uid)
        #expect(try !opens(mine, proof))
        #expect(try !isProved())
    }

    @Test func `another user's unlock is nobody else's`() throws {
        try unlock(uid + 1)
        #expect(try !isProved())
        _ = try ask(uid: uid + 1).get()
        try unlock()
        #expect(try isProved())
    }

    @Test func `fingers that were enrolled since end it, and so do fingers that cannot be told`() throws {
        try unlock()
        #expect(try isProved())
        try reader.enrol(8, of: uid)
        #expect(try !isProved())
        try reader.enrol(7, of: uid)
        #expect(try !isProved())
        try reader.enrol(nil, of: uid)
        try unlock()
        try reader.enrol(7, of: uid)
        #expect(try !isProved())
        try unlock()
        #expect(try isProved())
    }

    @Test func `an unlock of a user without a keychain makes nothing, and is no use afterwards`() throws {
        let nobody: UInt32 = 4_711
        let root = try PacketSocket(connectingTo: served.controlPath, within: .seconds(20))
        #expect(try root.refusal(of: SessionUnlockedRequest(), uid: nobody) == KeychainError(.itemNotFound, ""))
        #expect(!FileManager.default.fileExists(atPath: served.folder + "/users/\(nobody)"))
        try channel.ask(CreateKeychainRequest(), uid: nobody)
        try reader.enrol(7, of: nobody)
        #expect(try ask(uid: nobody) == .failure(PresenceFailure.nobodyToAsk.error))
    }
}
