import CKeychainLinux
package import CodeSignature
import EnclaveInterface
import Glibc
package import KeychainModel
import KeychainProtocol
import KeychainSystem
package import PeerIdentity

/// The handshake, step by step (docs/protocol.md): each step answers an attack that succeeded without it.
package struct PeerGatekeeper: Gatekeeper {
    /// Which programs are told apart, and by what.
    package enum Mode: Sendable {
        /// One user's own service: programs that behave are told apart.
        case session(uid: UInt32)
        /// Installed programs are told apart from everything else that their user starts.
        case system(markerGroup: UInt32)
    }

    private let mode: Mode
    private let witness: any PeerWitness
    private let verdicts: VerdictCache
    private let checks: PeerChecks
    private let turns = ReadingTurns()
    /// For finding out who it is, and again for its answer. Reading the program itself, which may be large, does not
    /// count: that is not the caller's slowness.
    private static let patience: Duration = .seconds(2)

    package init(mode: Mode, witness: any PeerWitness, verdicts: VerdictCache, checks: PeerChecks = .all) {
        self.mode = mode
        self.witness = witness
        self.verdicts = verdicts
        self.checks = checks
    }

    package func admit(_ socket: Int32) throws(KeychainError) -> AdmittedPeer {
        let uid = try connectedUser(of: socket)
        let evidence = try asking { () throws(WitnessError) in
            try witness.identify(socket, by: .now + Self.patience)
        }
        guard evidence.facts.uids.areAll(uid) || !checks.contains(.userIDs) else {
            throw CheckedSocket.refusal("the caller runs with the rights of several users")
        }
        try checkLending(of: uid, to: evidence.facts)
        let (program, found) = try identify(evidence)
        let caller = try CallerIdentity(program, verdict(on: found, of: evidence, at: socket))

        let stream = CheckedSocket(
            socket,
            process: evidence.process,
            uid: uid,
            program: watch(found, isInstalled: caller.identity.kind == .installed),
            checks: checks
        )
        let deadline = ContinuousClock.now + Self.patience
        try lookAgain(at: evidence, deadline, isInstalled: program.isInstalled)
        try authenticate(stream, by: deadline)
        try lookAgain(at: evidence, deadline, isInstalled: program.isInstalled)
        return AdmittedPeer(
            uid: uid,
            caller: caller.caller,
            identity: caller.identity,
            stream: stream,
            vouch: vouching(for: stream)
        )
    }

    /// For as long as the connection lives, which the stream's socket is.
    private func vouching(for stream: CheckedSocket) -> (@Sendable () throws(KeychainError) -> AskerVoucher)? {
        guard let witness = witness as? any VouchingWitness else { return nil }
        return { () throws(KeychainError) in
            let bytes = try asking { () throws(WitnessError) in
                try witness.vouch(for: stream.socket, by: .now + Self.patience)
            }
            guard let voucher = AskerVoucher(bytes) else {
                throw KeychainError(.notAvailable, "chatelaine-identify gave something else than a voucher")
            }
            return voucher
        }
    }

    private func connectedUser(of socket: Int32) throws(KeychainError) -> UInt32 {
        guard let uid = LentDescriptor(socket).peer?.uid else {
            throw KeychainError(errno: errno, "it cannot be told who has connected")
        }
        if case .session(let own) = mode, uid != own {
            throw KeychainError(.missingEntitlement, "this service is another user's")
        }
        return uid
    }

    /// A user may put on 65,536 uids in a namespace of their own (/etc/subuid), and would have the places, the quota
    /// and the enclaves of as many users. Uids that root has put into a namespace are root's choice.
    private func checkLending(of uid: UInt32, to facts: ProcessFacts) throws(KeychainError) {
        guard case .system = mode, checks.contains(.namespaceOwner), !facts.shared.contains(.userNamespace) else {
            return
        }
        guard let owner = facts.namespaceOwner, owner == uid || owner == 0 else { throw ServiceUsers.isLent }
    }

    /// What the kernel says of the program.
    private func identify(
        _ evidence: PeerEvidence
    ) throws(KeychainError) -> (ProgramFacts, ExecutableFacts) {
        guard let executable = evidence.facts.executable else {
            throw CheckedSocket.refusal(
                "the caller's program cannot be looked at: it is hidden, or on a mount of its own"
            )
        }
        let deficiencies: [String]
        let serviceMode: ServiceIdentity.Mode
        switch mode {
        case .session:
            deficiencies = ["this is a session's service, which keeps apart only programs that behave"]
            serviceMode = .session
        case .system(let markerGroup):
            deficiencies =
                InstallationProof(evidence.facts, markerGroup: markerGroup, checks: checks).deficiencies
            serviceMode = .system
        }
        let facts = ProgramFacts(
            path: executable.protectedPath ?? "",
            isInRootOwnedPlace: executable.protectedPath != nil,
            isInstalled: deficiencies.isEmpty,
            deficiencies: deficiencies,
            mode: serviceMode
        )
        return (facts, executable)
    }

    private func verdict(
        on executable: ExecutableFacts,
        of evidence: PeerEvidence,
        at socket: Int32
    ) throws(KeychainError) -> SignatureVerdict {
        guard let descriptor = evidence.executable else {
            throw CheckedSocket.refusal("the caller's program cannot be read")
        }
        let (seconds, nanoseconds) = executable.file.changed.quotientAndRemainder(dividingBy: 1_000_000_000)
        let key = VerdictCache.Key(
            // Without a number for the mount that is never used again, or a watch in its place, two media look alike.
            mount: checks.contains(.uniqueMount) ? executable.file.uniqueMount : 1,
            device: executable.file.device,
            inode: executable.file.inode,
            changed: FileTime(seconds: seconds, nanoseconds: nanoseconds),
            size: executable.file.size,
            owner: executable.owner,
            mode: executable.mode,
            isOnInitialMount: executable.mount.isOfSystem && !executable.mount.isInUserSpace
        )
        // A large program takes a second of a processor, and a user has any number of them.
        if let key, verdicts.remembers(key) { return try verdicts.verdict(of: descriptor.number, key: key) }
        let turn = ReadingTurns.Key(uid: evidence.facts.uids.real, isOfSystem: key != nil)
        try turns.enter(turn) { stillConnected(socket) }
        defer { turns.leave(turn) }
        guard stillConnected(socket) else { throw CheckedSocket.refusal("the caller has gone") }
        return try verdicts.verdict(of: descriptor.number, key: key)
    }

    /// For a client that has lost its place meanwhile, or has gone, no program is read.
    private func stillConnected(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        return unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) != 0
    }

    private func watch(_ executable: ExecutableFacts, isInstalled: Bool) -> ProgramWatch {
        switch mode {
        case .system(let markerGroup) where isInstalled && checks.contains(.marker): .savedGroup(markerGroup)
        case .system: .none
        case .session: (witness as? LocalWitness).map { .executable(executable.file, $0) } ?? .none
        }
    }

    private func asking<Answer>(_ question: () throws(WitnessError) -> Answer) throws(KeychainError) -> Answer {
        do throws(WitnessError) {
            return try question()
        } catch {
            switch error {
            case .isGone: throw CheckedSocket.refusal("the calling process has ended or cannot be seen from here")
            case .noAnswer(let reason): throw KeychainError(.notAvailable, reason)
            }
        }
    }

    /// Between two looks the process may have started another program, or a debugger may have attached to it.
    private func lookAgain(
        at evidence: PeerEvidence,
        _ deadline: ContinuousClock.Instant,
        isInstalled: Bool
    ) throws(KeychainError) {
        let now = try asking { () throws(WitnessError) in try witness.lookAgain(at: evidence.process, by: deadline) }
        guard now.executable == evidence.facts.executable?.file || !checks.contains(.sameProgram) else {
            throw CheckedSocket.refusal("the caller has become another program")
        }
        guard now.gids.saved == evidence.facts.gids.saved || !checks.contains(.marker) else {
            throw CheckedSocket.refusal("the caller has changed its groups")
        }
        guard !isInstalled || !now.isTraced || !checks.contains(.tracer) else {
            throw CheckedSocket.refusal("another process traces the caller")
        }
    }

    /// The nonce goes out only while nothing is there to be read: what was sent before could have been put into the
    /// socket by the code that ran in this process before it started its program, and could still be changed.
    private func authenticate(_ stream: CheckedSocket, by deadline: ContinuousClock.Instant) throws(KeychainError) {
        guard !stream.hasInput || !checks.contains(.emptyQueue) else {
            throw CheckedSocket.refusal("the caller has sent something before it was asked")
        }
        var random = SystemRandomNumberGenerator()
        let nonce = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let hello = Hello(nonce: nonce, versions: AuthenticationProof.versions)
        try stream.send(FrameCodec.encode(.hello(hello)))
        if !checks.contains(.promptReading) { usleep(2_000) }
        try stream.wait(until: deadline)

        let answer = try AuthenticationMessage.receive(from: stream, checks: checks, by: deadline)
        guard answer.proof == AuthenticationProof.proof(for: hello) || !checks.contains(.proof),
            AuthenticationProof.versions.contains(answer.version)
        else { throw CheckedSocket.refusal("the caller's proof is not the one that was asked for") }
    }
}
