import CKeychainLinux
import Foundation
import KeychainSystem
import KeychainTestSupport
import PeerIdentity
import Testing

struct WitnessTests {
    private func pair(_ kind: __socket_type = SOCK_STREAM) throws -> (Descriptor, Descriptor) {
        var numbers: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(kind.rawValue), 0, &numbers) == 0)
        return (Descriptor(owning: numbers[0]), Descriptor(owning: numbers[1]))
    }

    private var soon: ContinuousClock.Instant { .now + .seconds(20) }

    @Test func `a process is known by the socket that it connected`() throws {
        let (socket, _) = try pair()
        let evidence = try LocalWitness().identify(socket.number, by: soon)
        #expect(evidence.process.pid == getpid())
        #expect(evidence.facts.uids.areAll(getuid()))
        #expect(evidence.facts.gids.areAll(getgid()))
        var status = stat()
        try #require(stat("/proc/self/exe", &status) == 0)
        let executable = try #require(evidence.facts.executable)
        #expect(executable.file.inode == status.st_ino)
        #expect(executable.file.device == status.st_dev)
        #expect(executable.isRegular)
        var opened = stat()
        try #require(fstat(#require(evidence.executable).number, &opened) == 0)
        #expect(opened.st_ino == status.st_ino)
        #expect(evidence.process.savedGroup == getgid())
    }

    @Test func `another process that looks says the same`() throws {
        let (ours, theirs) = try pair(SOCK_SEQPACKET)
        let service = WitnessService(theirs, reach: .all)
        Thread.detachNewThread { service.run() }
        let witness = RemoteWitness(ours)
        let (socket, _) = try pair()
        let local = try LocalWitness().identify(socket.number, by: soon)
        let remote = try witness.identify(socket.number, by: soon)
        #expect(remote.facts == local.facts)
        #expect(remote.process.pid == getpid())
        #expect(remote.executable != nil)
        let again = try witness.lookAgain(at: remote.process, by: soon)
        #expect(again.executable == local.facts.executable?.file)
        #expect(again.gids == local.facts.gids)
    }

    @Test func `a caller that the enclave cannot be told of has no voucher`() throws {
        for testimony in [nil, AskerTestimony(enclave: "/nowhere/enclave.sock", markerGroup: 1)] {
            let (ours, theirs) = try pair(SOCK_SEQPACKET)
            let service = WitnessService(theirs, reach: .all, testimony: testimony)
            Thread.detachNewThread { service.run() }
            let (socket, _) = try pair()
            let refusal = #expect(throws: WitnessError.self) {
                try RemoteWitness(ours).vouch(for: socket.number, by: soon)
            }
            guard case .noAnswer = refusal else {
                Issue.record("\(String(describing: refusal))")
                continue
            }
        }
    }

    @Test func `an installed program is one that meets each requirement, and no other`() {
        let marker: UInt32 = 64_003
        var facts = ProcessFacts(
            pid: 7,
            uids: ProcessIDs(real: 1, effective: 1, saved: 1, fileSystem: 1),
            gids: ProcessIDs(real: 1, effective: 1, saved: marker, fileSystem: 1),
            executable: ExecutableFacts(
                file: FileIdentity(device: 1, inode: 2, uniqueMount: 3, size: 4, changed: 5),
                owner: 0,
                group: marker,
                mode: 0o102_755,
                mount: MountFacts(isOfSystem: true, ignoresSetID: false, isInUserSpace: false)
            )
        )
        #expect(facts.isInstalled(markerGroup: marker))
        #expect(!facts.isInstalled(markerGroup: marker + 1))
        facts.isDumpable = true
        #expect(!facts.isInstalled(markerGroup: marker))
        facts.isDumpable = false
        facts.executable?.owner = 1
        #expect(!facts.isInstalled(markerGroup: marker))
        facts.executable = nil
        #expect(!facts.isInstalled(markerGroup: marker))
    }

    @Test func `a witness that does not answer is not waited for`() throws {
        let (ours, theirs) = try pair(SOCK_SEQPACKET)
        let (socket, _) = try pair()
        #expect(throws: WitnessError.noAnswer("chatelaine-identify did not say in time who is calling")) {
            try RemoteWitness(ours).identify(socket.number, by: .now + .milliseconds(50))
        }
        withExtendedLifetime(theirs) {}
    }

    @Test(arguments: [[], [0], [1], [1, 2, 3], [UInt8](repeating: 1, count: 9_000)])
    func `an answer that is none is not believed`(_ answer: [UInt8]) throws {
        let (ours, theirs) = try pair(SOCK_SEQPACKET)
        Thread.detachNewThread {
            // The socket to answer on is the last descriptor of the question.
            var byte: UInt8 = 0
            var control = [UInt8](repeating: 0, count: 64)
            var part = iovec()
            withUnsafeMutablePointer(to: &byte) { part = iovec(iov_base: $0, iov_len: 1) }
            control.withUnsafeMutableBytes { control in
                withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    _ = recvmsg(theirs.number, &message, 0)
                    let reply = control.loadUnaligned(fromByteOffset: 20, as: Int32.self)
                    _ = send(reply, answer, answer.count, 0)
                    close(reply)
                }
            }
        }
        let (socket, _) = try pair()
        #expect(throws: WitnessError.self) { try RemoteWitness(ours).identify(socket.number, by: soon) }
    }

    @Test func `a process that has ended cannot be looked at, whoever has its number now`() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sleep")
        process.arguments = ["100"]
        try process.runHearingSignals()
        let number = clinux_pidfd_open(process.processIdentifier)
        try #require(number >= 0)
        let pinned = try PinnedProcess(pidfd: Descriptor(owning: number))
        #expect(pinned.isAlive)
        #expect(throws: Never.self) { try LocalWitness().lookAgain(at: pinned, by: soon) }
        kill(process.processIdentifier, SIGKILL)
        process.waitForExit()
        #expect(!pinned.isAlive)
        #expect(pinned.savedGroup == nil)
        #expect(throws: WitnessError.isGone) { try LocalWitness().lookAgain(at: pinned, by: soon) }
    }

    @Test func `a name with line feeds and parentheses changes nothing`() throws {
        let name = "x\nUid:\t0\t0\t0\t0) Z\(UUID().uuidString.prefix(8))"
        let program = FileManager.default.temporaryDirectory.appending(path: name).path
        try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: program)
        defer { try? FileManager.default.removeItem(atPath: program) }
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = ["100"]
        try process.runHearingSignals()
        defer { kill(process.processIdentifier, SIGKILL) }
        let number = clinux_pidfd_open(process.processIdentifier)
        try #require(number >= 0)
        let pinned = try PinnedProcess(pidfd: Descriptor(owning: number))
        let (facts, _) = try ProcessReader(reach: .all).read(pinned)
        #expect(facts.uids.areAll(getuid()))
        #expect(facts.executable?.protectedPath == nil)
    }

    @Test(.enabled(if: SystemMode.isPossible, "needs root, and a root folder that is a mount"))
    func `a program that only root can exchange is known by its place`() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sleep")
        process.arguments = ["100"]
        try process.runHearingSignals()
        defer { kill(process.processIdentifier, SIGKILL) }
        let number = clinux_pidfd_open(process.processIdentifier)
        let pinned = try PinnedProcess(pidfd: Descriptor(owning: number))
        let (facts, _) = try ProcessReader(reach: .all).read(pinned)
        let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process.processIdentifier)/exe")
        #expect(facts.executable?.protectedPath == path)
    }
}
