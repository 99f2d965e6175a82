import CKeychainLinux
import CodeSignature
import Foundation
import KeychainModel
import KeychainProtocol
import KeychainSystem
import KeychainTestSupport
import PeerIdentity
import Synchronization
import Testing

@testable import KeychainServer

/// The steps of the handshake, one at a time, between two ends of this process. The attacks that they stop are in
/// AttackTests.
struct PeerGatekeeperTests {
    /// What a client does once it has the server's Hello.
    private typealias Answer = @Sendable (_ socket: Int32, _ hello: Hello) throws -> Void

    /// Says of this process what a test wants it to.
    private final class ScriptedWitness: PeerWitness {
        private let facts: ProcessFacts
        private let process: PinnedProcess
        private let later: RecheckedFacts
        private let looks = Mutex(0)
        /// From which look on `later` is true.
        private let change: Int

        init(
            process: PinnedProcess? = nil,
            change: Int = 0,
            facts edit: (inout ProcessFacts) -> Void = { _ in },
            later editLater: (inout RecheckedFacts) -> Void = { _ in }
        ) throws {
            let own = try PinnedProcess(pidfd: Descriptor(owning: clinux_pidfd_open(getpid())))
            var (facts, _) = try ProcessReader(reach: .all).read(own)
            // The file that it opens is another one: it must not be remembered.
            facts.executable?.mount.isOfSystem = false
            edit(&facts)
            self.facts = facts
            self.process = process ?? own
            var later = RecheckedFacts(
                gids: facts.gids,
                permittedCapabilities: 0,
                isTraced: false,
                executable: facts.executable?.file
            )
            editLater(&later)
            self.later = later
            self.change = change
        }

        func identify(_ socket: Int32, by deadline: ContinuousClock.Instant) throws(WitnessError) -> PeerEvidence {
            // A small one, for what takes time is not tried here.
            let program = Descriptor(owning: open("/bin/true", O_RDONLY | O_CLOEXEC))
            return PeerEvidence(process: process, facts: facts, executable: program)
        }

        func lookAgain(
            at process: PinnedProcess,
            by deadline: ContinuousClock.Instant
        ) throws(WitnessError) -> RecheckedFacts {
            let look = looks.withLock { looks in
                looks += 1
                return looks
            }
            if look >= change { return later }
            return RecheckedFacts(
                gids: facts.gids,
                permittedCapabilities: 0,
                isTraced: false,
                executable: facts.executable?.file
            )
        }
    }

    private static func proof(of hello: Hello) throws -> [UInt8] {
        try FrameCodec.encode(
            .authenticate(Authentication(proof: AuthenticationProof.proof(for: hello), version: 1))
        )
    }

    private static func send(_ bytes: [UInt8], descriptors: Int = 0, to socket: Int32) {
        let numbers = [Int32](repeating: socket, count: descriptors)
        // The other end may have refused what came before, and be closed.
        _ = clinux_send(socket, bytes, bytes.count, numbers, Int32(descriptors), 0)
    }

    private static let asItShould: Answer = { socket, hello in
        send(try proof(of: hello), descriptors: 1, to: socket)
    }

    /// Goes through the handshake with a client that first does one thing, and then answers.
    private func admit(
        _ witness: ScriptedWitness,
        checks: PeerChecks = .all,
        entering: (Int32) throws -> Void = { _ in },
        first: (Int32) -> Void = { _ in },
        answer: @escaping Answer = asItShould,
        then: (AdmittedPeer, Int32) throws -> Void = { _, _ in }
    ) throws {
        var numbers: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) == 0)
        let server = Descriptor(owning: numbers[0])
        let client = Descriptor(owning: numbers[1])
        try #require(clinux_pass_credentials(server.number))
        try entering(server.number)
        first(client.number)
        let answering = Thread {
            var header = [UInt8](repeating: 0, count: 4)
            guard recv(client.number, &header, 4, Int32(MSG_WAITALL)) == 4 else { return }
            var message = [UInt8](repeating: 0, count: Int(header[3]))
            guard recv(client.number, &message, message.count, Int32(MSG_WAITALL)) == message.count,
                case .hello(let hello)? = try? FrameCodec.decodeServer(message)
            else { return }
            try? answer(client.number, hello)
        }
        answering.start()
        defer { shutdown(server.number, Int32(SHUT_RDWR)) }
        let gatekeeper = PeerGatekeeper(
            mode: .session(uid: geteuid()),
            witness: witness,
            verdicts: VerdictCache(SignatureVerifier(teams: TrustedTeams(directory: "/nowhere"))),
            checks: checks
        )
        try then(gatekeeper.admit(server.number), client.number)
    }

    private func receive(_ peer: AdmittedPeer) throws -> Int {
        var bytes = [UInt8](repeating: 0, count: 64)
        return try bytes.withUnsafeMutableBytes { try peer.stream.receive(into: $0, within: .seconds(5)) }
    }

    private let refusal = KeychainError(.authenticationFailed, "")

    @Test func `a service that stops finishes a handshake that it has begun, and reads nothing after it`() throws {
        let table = ConnectionTable(limits: ServiceLimits())
        var entries: [ConnectionTable.Entry] = []
        try admit(
            ScriptedWitness(),
            entering: { server in
                entries.append(try table.add(server, uid: geteuid(), isKnown: true))
                table.stop()
            },
            then: { peer, client in
                table.endHandshake(of: entries[0])
                Self.send([1, 2, 3], to: client)
                let count = try receive(peer)
                #expect(count == 0)
            }
        )
        #expect(entries.count == 1)
    }

    @Test func `a client that does as it should is admitted, and read from`() throws {
        try admit(
            ScriptedWitness(),
            then: { peer, client in
                #expect(peer.uid == geteuid())
                #expect(peer.identity.kind == .unsigned)
                Self.send([1, 2, 3], to: client)
                let count = try receive(peer)
                #expect(count == 3)
            }
        )
    }

    @Test func `one that sends before it was asked is refused`() throws {
        #expect(throws: refusal) { try admit(ScriptedWitness(), first: { Self.send([1], to: $0) }) }
    }

    @Test func `one that has hung up is refused`() throws {
        #expect(throws: refusal) { try admit(ScriptedWitness(), first: { shutdown($0, Int32(SHUT_RDWR)) }) }
    }

    private static let wrongAnswers: [(String, PeerChecks, Answer)] = [
        (
            "of another nonce", .proof,
            { socket, hello in
                let other = Hello(nonce: hello.nonce.reversed(), versions: hello.versions)
                send(try proof(of: other), descriptors: 1, to: socket)
            }
        ),
        ("without a descriptor", .descriptor, { socket, hello in send(try proof(of: hello), to: socket) }),
        (
            "in two messages, the first with a descriptor", .descriptor,
            { socket, hello in
                let frame = try proof(of: hello)
                send(Array(frame.prefix(9)), descriptors: 1, to: socket)
                send(Array(frame.dropFirst(9)), to: socket)
            }
        ),
        (
            "in two messages, the last with a descriptor", .descriptor,
            { socket, hello in
                let frame = try proof(of: hello)
                send(Array(frame.prefix(9)), to: socket)
                send(Array(frame.dropFirst(9)), descriptors: 1, to: socket)
            }
        ),
    ]

    @Test(arguments: wrongAnswers.indices)
    func `a proof that is not the one that was asked for, or did not come in one message, is refused`(
        _ index: Int
    ) throws {
        let (name, check, answer) = Self.wrongAnswers[index]
        #expect(throws: refusal, "\(name)") { try admit(ScriptedWitness(), answer: answer) }
        #expect(throws: Never.self, "\(name)") {
            try admit(ScriptedWitness(), checks: .unchecked(without: check), answer: answer)
        }
    }

    @Test func `a version that nobody speaks is refused`() throws {
        #expect(throws: refusal) {
            try admit(
                ScriptedWitness(),
                answer: { socket, hello in
                    let answer = Authentication(proof: AuthenticationProof.proof(for: hello), version: 99)
                    Self.send(try FrameCodec.encode(.authenticate(answer)), descriptors: 1, to: socket)
                }
            )
        }
    }

    @Test func `a client that says nothing is not waited for`() throws {
        #expect(throws: KeychainError(.notAvailable, "")) { try admit(ScriptedWitness(), answer: { _, _ in }) }
    }

    @Test func `a descriptor that comes later ends the connection`() throws {
        for checks in [PeerChecks.all, .unchecked(without: .laterDescriptors)] {
            try admit(
                ScriptedWitness(),
                checks: checks,
                then: { peer, client in
                    Self.send([1], descriptors: 1, to: client)
                    if checks == .all {
                        #expect(throws: refusal) { try receive(peer) }
                    } else {
                        let count = try receive(peer)
                        #expect(count == 1)
                    }
                }
            )
        }
    }

    @Test func `a descriptor of a stranger's does not become the service's`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        try #require(clinux_pass_credentials(ends[0]))
        for hasDescriptor in [true, false] {
            Self.send([1], descriptors: hasDescriptor ? 1 : 0, to: ends[1])
            var byte: UInt8 = 0
            var chunk = clinux_chunk()
            #expect(clinux_receive_without_descriptors(ends[0], &byte, 1, 0, true, &chunk) == 1)
            #expect(chunk.truncated == hasDescriptor && chunk.descriptor_count == 0)
            #expect(chunk.has_credentials && chunk.pid == getpid())
        }
        // The control: what takes descriptors has it.
        Self.send([1], descriptors: 1, to: ends[1])
        var byte: UInt8 = 0
        var chunk = clinux_chunk()
        #expect(clinux_receive(ends[0], &byte, 1, 0, &chunk) == 1)
        #expect(!chunk.truncated && chunk.descriptor_count == 1)
        clinux_chunk_close(&chunk)
    }

    @Test func `more descriptors than there is room for end the connection, and are closed`() throws {
        for checks in [PeerChecks.all, .unchecked(without: .laterDescriptors)] {
            try admit(
                ScriptedWitness(),
                checks: checks,
                then: { peer, client in
                    // Twice as many as a message of ours takes.
                    let count = 100
                    var control = [UInt8](repeating: 0, count: 16 + 4 * count)
                    control.withUnsafeMutableBytes {
                        $0.storeBytes(of: 16 + 4 * count, as: Int.self)
                        $0.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
                        $0.storeBytes(of: 1, toByteOffset: 12, as: Int32.self)
                        for index in 0..<count {
                            $0.storeBytes(of: client, toByteOffset: 16 + 4 * index, as: Int32.self)
                        }
                    }
                    var byte: UInt8 = 1
                    let sent = withUnsafeMutableBytes(of: &byte) { byte in
                        control.withUnsafeMutableBytes { control in
                            var part = iovec(iov_base: byte.baseAddress, iov_len: 1)
                            return withUnsafeMutablePointer(to: &part) { part in
                                var message = msghdr()
                                message.msg_iov = part
                                message.msg_iovlen = 1
                                message.msg_control = control.baseAddress
                                message.msg_controllen = control.count
                                return sendmsg(client, &message, 0)
                            }
                        }
                    }
                    try #require(sent == 1)
                    let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
                    if checks == .all {
                        #expect(throws: refusal) { try receive(peer) }
                    } else {
                        let count = try receive(peer)
                        #expect(count == 1)
                    }
                    let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
                    #expect(after < before + count / 2)
                }
            )
        }
    }

    @Test func `bytes of another process are not taken`() throws {
        let own = try PinnedProcess(pidfd: Descriptor(owning: clinux_pidfd_open(getpid())))
        let other = PinnedProcess(pid: own.pid + 1, pidfd: own.pidfd, folder: own.folder)
        #expect(throws: refusal) { try admit(ScriptedWitness(process: other)) }
        #expect(throws: Never.self) { try admit(ScriptedWitness(process: other), checks: .unchecked(without: .sender)) }
    }

    @Test func `bytes of a process that has ended are not taken`() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sleep")
        process.arguments = ["100"]
        try process.runHearingSignals()
        let ended = Descriptor(owning: clinux_pidfd_open(process.processIdentifier))
        kill(process.processIdentifier, SIGKILL)
        process.waitForExit()
        let own = try PinnedProcess(pidfd: Descriptor(owning: clinux_pidfd_open(getpid())))
        // As if this process's number were an ended one's.
        let pinned = PinnedProcess(pid: own.pid, pidfd: ended, folder: own.folder)
        #expect(throws: refusal) { try admit(ScriptedWitness(process: pinned)) }
        #expect(throws: Never.self) {
            try admit(ScriptedWitness(process: pinned), checks: .unchecked(without: .liveness))
        }
    }

    @Test func `a process with the rights of several users is refused`() throws {
        let witness = { try ScriptedWitness { $0.uids.saved = 12_345 } }
        #expect(throws: refusal) { try admit(witness()) }
        #expect(throws: Never.self) { try admit(witness(), checks: .unchecked(without: .userIDs)) }
    }

    @Test(arguments: [1, 2])
    func `a process that becomes another program before or after its proof is refused`(_ look: Int) throws {
        let witness = { try ScriptedWitness(change: look, later: { $0.executable?.inode += 1 }) }
        #expect(throws: refusal) { try admit(witness()) }
        #expect(throws: Never.self) { try admit(witness(), checks: .unchecked(without: .sameProgram)) }
    }

    @Test func `a program that cannot be looked at is refused`() throws {
        #expect(throws: refusal) { try admit(ScriptedWitness { $0.executable = nil }) }
    }
}

/// What makes a program an installed one.
struct InstallationProofTests {
    private static let group: UInt32 = 7_777

    private static let installed = ProcessFacts(
        pid: 42,
        uids: ProcessIDs(real: 1_000, effective: 1_000, saved: 1_000, fileSystem: 1_000),
        gids: ProcessIDs(real: 1_000, effective: 1_000, saved: group, fileSystem: 1_000),
        executable: ExecutableFacts(
            file: FileIdentity(device: 1, inode: 2, uniqueMount: 3, size: 4, changed: 5),
            owner: 0,
            group: group,
            mode: 0o102_755,
            mount: MountFacts(isOfSystem: true, ignoresSetID: false, isInUserSpace: false)
        )
    )

    private static let flaws: [(PeerChecks, @Sendable (inout ProcessFacts) -> Void)] = [
        (.marker, { $0.gids.saved = 1_000 }),
        (.marker, { $0.gids.effective = group }),
        (.marker, { $0.gids.fileSystem = group }),
        (.marker, { $0.gids.real = group }),
        (.tracer, { $0.isTraced = true }),
        (.userNamespace, { $0.shared.remove(.userNamespace) }),
        (.pidNamespace, { $0.shared.remove(.pidNamespace) }),
        (.pidNamespace, { $0.pidNamespaceDepth = 2 }),
        (.mountNamespace, { $0.shared.remove(.mountNamespace) }),
        (.root, { $0.shared.remove(.root) }),
        (.noNewPrivileges, { $0.noNewPrivileges = true }),
        (.seccomp, { $0.seccompMode = 2 }),
        (.dumpability, { $0.isDumpable = true }),
        (.fileOwner, { $0.executable?.owner = 1_000 }),
        (.fileMode, { $0.executable?.mode = 0o102_775 }),
        (.fileMode, { $0.executable?.mode = 0o102_757 }),
        (.fileMode, { $0.executable?.mode = 0o042_755 }),
        (.fileMarker, { $0.executable?.mode = 0o100_755 }),
        (.fileMarker, { $0.executable?.group = 1_000 }),
        (.fileMount, { $0.executable?.mount.isOfSystem = false }),
        (.fileMount, { $0.executable?.mount.ignoresSetID = true }),
        (.fileMount, { $0.executable?.mount.isInUserSpace = true }),
    ]

    @Test func `a program that was installed and started cleanly lacks nothing`() {
        #expect(InstallationProof(Self.installed, markerGroup: Self.group, checks: .all).isComplete)
    }

    @Test(arguments: flaws.indices)
    func `one flaw is enough, and its check alone sees it`(_ index: Int) {
        let (check, spoil) = Self.flaws[index]
        var facts = Self.installed
        spoil(&facts)
        #expect(!InstallationProof(facts, markerGroup: Self.group, checks: .all).isComplete)
        #expect(!InstallationProof(facts, markerGroup: Self.group, checks: check).isComplete)
        #expect(InstallationProof(facts, markerGroup: Self.group, checks: .unchecked(without: check)).isComplete)
    }

    @Test func `a program of which no file is seen is not installed`() {
        var facts = Self.installed
        facts.executable = nil
        #expect(!InstallationProof(facts, markerGroup: Self.group, checks: .all).isComplete)
    }
}
