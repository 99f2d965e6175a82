import Crypto
import EnclaveInterface
import Foundation
import KeychainModel
import KeychainTestSupport
import PeerIdentity
import Synchronization
import Testing

@testable import EnclaveClient
@testable import EnclaveServer
@testable import KeychainSystem

/// A keychain service that was taken over, and asks the owner for more than programs have asked for.
@Suite(.enabled(if: geteuid() == 0, "needs another user"), .timeLimit(.minutes(5)))
struct TakenOverServiceTests {
    /// chatelaine-identify's user, a number that nobody has.
    private static let witness: UInt32 = 64_712
    private let served: ServedEnclave
    private let channel: PacketSocket
    private let shown = Shown()
    private let uid: UInt32 = 1000
    private static let passcode = SecretBytes(Array("passcode".utf8))

    init() throws {
        served = try ServedEnclave(witness: Self.witness)
        chmod(served.controlPath, 0o666)
        chmod(served.folder, 0o755)
        channel = try served.rawChannel()
        try channel.ask(CreateKeychainRequest(), uid: uid)
        try served.owner(of: uid).changePasscode(from: nil, to: Self.passcode)
        let person = Person(desk: try served.owner(of: uid), shown: shown)
        let agent = try served.owner(of: uid)
        Thread.detachNewThread { try? agent.showPrompts(for: .typing) { _ in person } }
        for _ in 0..<2_000 {
            if try channel.ask(PresenceStatusRequest(), uid: uid)[.passcode].obstacle == nil { return }
            usleep(5_000)
        }
        throw KeychainError(.notAvailable, "no prompter is registered")
    }

    private final class Shown: Sendable {
        private let prompts = Mutex<[Prompt]>([])
        var all: [Prompt] { prompts.withLock(\.self) }
        func add(_ prompt: Prompt) { prompts.withLock { $0.append(prompt) } }
    }

    /// Somebody who gives the passcode to whoever asks.
    private struct Person: Prompter {
        let desk: RemoteEnclaveControl
        let shown: Shown

        func show(_ prompt: Prompt) {
            shown.add(prompt)
            Thread.detachNewThread { _ = try? desk.answer(prompt.question, typed: TakenOverServiceTests.passcode) }
        }
        func withdraw(_ question: ItemUUID) {}
    }

    // MARK: - What the attacker does

    private func item(_ group: String) throws -> WrappedItemKey {
        let control = try AccessControl(protection: "ak", flags: .devicePasscode)
        let binding = ItemBinding.sample(group: group, guardedBy: control)
        let key = UnwrappedItemKey(binding: binding, key: SymmetricKey(size: .bits256))
        guard let box = try channel.ask(WrapRequest([key]), uid: uid).first else {
            throw KeychainError(.internalError, "")
        }
        return WrappedItemKey(binding: binding, box: box)
    }

    private func opens(_ item: WrappedItemKey, _ proof: PresenceProof, on channel: PacketSocket) throws -> Bool {
        let unwrap = UnwrapRequest([item], with: ItemCredentials(proofs: [proof]))
        return try channel.ask(unwrap, uid: uid).contains { (try? $0.get()) != nil }
    }

    private func proof(_ scope: PresenceScope, _ claim: AskerClaim, uid: UInt32? = nil) throws -> PresenceProof {
        try channel.ask(AskOwnerRequest(PresenceQuestion(of: claim, .passcode, for: scope)), uid: uid ?? self.uid)
    }

    private func refusal(_ scope: PresenceScope, _ claim: AskerClaim) throws -> KeychainError? {
        try channel.refusal(of: AskOwnerRequest(PresenceQuestion(of: claim, .passcode, for: scope)), uid: uid)
    }

    private static let bank = VouchedProgram(pid: 7, path: "/usr/bin/bank", isInstalled: true, connection: 1)

    /// What chatelaine-identify does for a client: the claim for one question.
    private func vouched(
        _ program: VouchedProgram = bank,
        uid: UInt32? = nil,
        name: String = "org.example.bank"
    ) throws -> AskerClaim {
        let voucher = try #require(AskerVoucher((0..<16).map { _ in UInt8.random(in: 0...255) }))
        let message = try VouchRequest(for: program, by: voucher).encoded(id: 1, uid: uid ?? self.uid)
        #expect(try send([message], as: Self.witness) == [128])
        return .vouched(by: voucher, name: name)
    }

    /// Sends messages over a connection of a user's, and gives back the kinds of the replies.
    private func send(_ messages: [[UInt8]], as user: UInt32) throws -> [UInt8] {
        let input = served.folder + "/\(UUID().uuidString)"
        let lines = messages.map { $0.map { String(format: "%02x", $0) }.joined() }.joined(separator: "\n")
        try Data(lines.utf8).write(to: URL(fileURLWithPath: input))
        chmod(input, 0o644)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "setpriv", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "/usr/bin/python3", "-c",
            """
            import socket, sys
            s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            s.connect('\(served.controlPath)')
            for line in open('\(input)'):
                s.send(bytes.fromhex(line.strip()))
                reply = s.recv(65536)
                print(reply[1] if reply else 0)
            """,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.runHearingSignals()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return text.split(separator: "\n").compactMap { UInt8($0) }
    }

    // MARK: - Scope

    @Test func `one prompt opens what it named, on the connection that asked, and nothing after a lock`() throws {
        let (mine, other) = (try item("TEAM.bank"), try item("TEAM.mail"))
        let scope = PresenceScope.items([mine.binding.uuid: "TEAM.bank"])
        let proof = try proof(scope, vouched())
        #expect(try opens(mine, proof, on: channel))
        #expect(try opens(mine, proof, on: served.anotherChannel()))
        #expect(try !opens(other, proof, on: channel))
        let prompt = try #require(shown.all.last)
        #expect(prompt.groups == ["TEAM.bank"])
        #expect(prompt.asker == AskerDescription(.installed, name: "org.example.bank", path: "/usr/bin/bank"))
        try channel.ask(LockRequest(), uid: uid)
        try served.owner(of: uid).unlock(Self.passcode)
        #expect(try !opens(mine, proof, on: channel))
    }

    @Test func `a context's proof opens the groups that the prompt named, of that program's context`() throws {
        let (mine, other) = (try item("TEAM.bank"), try item("TEAM.mail"))
        let context = try channel.ask(OpenContextRequest(["TEAM.bank"]), uid: uid)
        let proof = try proof(.context(context), vouched())
        #expect(shown.all.last?.groups == ["TEAM.bank"])
        #expect(try opens(mine, proof, on: channel) && !opens(other, proof, on: channel))
        let stranger = VouchedProgram(pid: 8, path: "/usr/bin/mail", isInstalled: true, connection: 2)
        #expect(try refusal(.context(context), vouched(stranger)) == KeychainError(.noPermission, ""))
        for groups in [["*"], ["TEAM.*"]] {
            #expect(try channel.refusal(of: OpenContextRequest(groups), uid: uid) == KeychainError(.noPermission, ""))
        }
        try channel.ask(CloseContextRequest(context), uid: uid)
        #expect(try !opens(mine, proof, on: channel))
        #expect(try refusal(.context(context), vouched()) == KeychainError(.itemNotFound, ""))
    }

    @Test func `a question about everything, or about too much, is no question`() throws {
        let claim = try vouched()
        let good = try AskOwnerRequest(
            PresenceQuestion(of: claim, .passcode, for: .items([ItemUUID(): "TEAM.bank"]))
        ).encoded(id: 1, uid: uid)
        // The scope: a byte for its kind, one group of nine bytes, and one item.
        let start = good.count - (1 + 1 + 2 + 9 + 2 + 17)
        let group = Array(good[(start + 1)..<(start + 13)])
        let none: [UInt8] = [1] + group + [0, 0]
        let nothing: [UInt8] = [1, 0, 0, 0]
        let everything: [UInt8] = [0]
        let many = (0..<257).flatMap { [UInt8](repeating: 0, count: 14) + [UInt8($0 >> 8), UInt8($0 & 255), 0] }
        let tooMany: [UInt8] = [1] + group + [1, 1] + many
        for scope in [none, nothing, everything, tooMany] {
            let socket = try served.anotherChannel()
            let message = Array(good[..<start]) + scope
            #expect(throws: KeychainError(.invalidParameter, "")) { try KnownRequests.decode(message) }
            _ = socket.send(message)
            var buffer = [UInt8](repeating: 0, count: 100)
            #expect(socket.receive(into: &buffer).0 == .gone)
        }
        let socket = try served.anotherChannel()
        _ = socket.send(good)
        var buffer = [UInt8](repeating: 0, count: 100)
        #expect(socket.receive(into: &buffer).0 == .done && buffer[1] == 137)
    }

    // MARK: - Vouchers

    @Test func `nobody is asked for a program that nobody vouches for`() throws {
        let scope = PresenceScope.items([ItemUUID(): "TEAM.bank"])
        let madeUp = try #require(AskerVoucher([UInt8](repeating: 7, count: 16)))
        let good = try vouched()
        let others = try vouched(uid: uid + 1)
        _ = try proof(scope, good)
        let before = shown.all.count
        for claim in [good, others, .vouched(by: madeUp, name: "bank"), .named("bank", isVerified: true)] {
            #expect(try refusal(scope, claim) == KeychainError(.noPermission, ""))
        }
        #expect(shown.all.count == before)
    }

    @Test func `neither the service nor an owner nor root vouches for anybody, and the witness does nothing else`()
        throws
    {
        let voucher = try #require(AskerVoucher([UInt8](repeating: 9, count: 16)))
        let vouch = VouchRequest(for: Self.bank, by: voucher)
        #expect(try channel.refusal(of: vouch, uid: uid) == KeychainError(.noPermission, ""))
        let root = try PacketSocket(connectingTo: served.controlPath, within: .seconds(20))
        #expect(try root.refusal(of: vouch, uid: uid) == KeychainError(.noPermission, ""))
        #expect(try send([vouch.encoded(id: 1, uid: uid)], as: uid) == [255])
        let scope = PresenceScope.items([ItemUUID(): "TEAM.bank"])
        #expect(try refusal(scope, .vouched(by: voucher, name: "")) == KeychainError(.noPermission, ""))
        let others: [any EnclaveRequest] = [
            StateRequest(), LockRequest(), UnlockRequest(Self.passcode), LogInRequest(Self.passcode, setsFirst: true),
            ServiceKeysRequest(), UnwrapRequest([]),
            RegisterPrompterRequest(.typing), OpenContextRequest([]),
            MatchedRequest(ItemUUID(), by: .biometry), CreateKeychainRequest(),
        ]
        let replies = try send(others.map { try $0.encoded(id: 1, uid: uid) }, as: Self.witness)
        #expect(replies == others.map { _ in 255 })
        // The control: its one message it may send.
        #expect(try send([vouch.encoded(id: 1, uid: uid)], as: Self.witness) == [128])
        #expect(try refusal(scope, .vouched(by: voucher, name: "bank")) == nil)
    }

    @Test func `ten thousand vouchers keep nobody else's out`() throws {
        let other = try vouched(uid: uid)
        let messages = try (0..<10_000).map { _ in
            let voucher = try #require(AskerVoucher((0..<16).map { _ in UInt8.random(in: 0...255) }))
            return try VouchRequest(for: Self.bank, by: voucher).encoded(id: 1, uid: 5_000)
        }
        #expect(try send(messages, as: Self.witness).count { $0 == 128 } == 10_000)
        #expect(throws: Never.self) { try proof(.items([ItemUUID(): "TEAM.bank"]), other) }
    }

    // MARK: - Written by hand

    @Test(arguments: ["/usr/bin/bank", "", "/home/älice/" + String(repeating: "ü", count: 300)])
    func `what chatelaine-identify writes by hand is what the enclave reads`(path: String) throws {
        let bytes = Array(0..<16) as [UInt8]
        let message = AskerTestimony.message(
            voucher: bytes,
            uid: 64_001,
            pid: 4_711,
            isInstalled: true,
            connection: .max - 2,
            path: path
        )
        let (header, request) = try KnownRequests.decode(message)
        #expect(header.uid == 64_001)
        let vouch = try #require(request as? VouchRequest)
        #expect(vouch.voucher.bytes == bytes)
        let expected = VouchedProgram(pid: 4_711, path: path, isInstalled: true, connection: .max - 2)
        #expect(vouch.program == expected)
        #expect(try request.encoded(id: header.id, uid: header.uid) == message)
    }
}
