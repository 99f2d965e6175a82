import Crypto
import EnclaveInterface
import Foundation
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

@testable import EnclaveClient

/// The sockets that systemd makes for the enclave, and who is answered there.
@Suite(
    .serialized,
    .enabled(if: geteuid() == 0, "only root can start the enclave's process"),
    .timeLimit(.minutes(3))
)
struct ServiceSocketTests {
    private let keychain: TestKeychain
    private let enclave: SupervisedEnclave
    private let uid: UInt32 = 64_136

    init() throws {
        keychain = try TestKeychain()
        chmod(keychain.surroundings, 0o755)
        enclave = try SupervisedEnclave(in: keychain.surroundings)
    }

    private func connection() -> EnclaveConnection {
        EnclaveConnection(.listener(path: enclave.servicePath, uid: nil))
    }

    /// Says something on the service's socket as some user: opens a channel, and asks on it whether there is a keychain.
    ///
    /// - Returns: the answer's kind; nil where there is none.
    private func presence(as user: UInt32) throws -> UInt8? {
        let channel = try OpenChannelRequest().encoded(id: 1, uid: 0)
        let question = try KeychainPresenceRequest().encoded(id: 2, uid: uid)
        let hex: ([UInt8]) -> String = { bytes in
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        let script = """
            import os, socket, sys
            os.setresgid(\(user), \(user), \(user)); os.setresuid(\(user), \(user), \(user))
            first = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            first.connect(sys.argv[1])
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            try:
                socket.send_fds(first, [bytes.fromhex(sys.argv[2])], [theirs.fileno()])
                theirs.close()
                ours.send(bytes.fromhex(sys.argv[3]))
                answer = ours.recv(65536)
            except OSError:
                answer = b''
            print(answer[1] if answer else 'nothing')
            """
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, enclave.servicePath, hex(channel), hex(question)]
        process.standardOutput = output
        try process.runHearingSignals()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitForExit()
        return UInt8(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test
    func `nobody but the keychain service's user is answered on the service's socket`() throws {
        // The control: root is that user here.
        #expect(try presence(as: 0) == KeychainPresenceRequest.answerNumber)
        #expect(try presence(as: 64_137) == nil)
        // Nor is whoever has the enclave's own user.
        #expect(try presence(as: SupervisedEnclave.user) == nil)
        #expect(enclave.said.contains("somebody else than the keychain service has connected"))
        #expect(try presence(as: 0) == KeychainPresenceRequest.answerNumber)
    }

    @Test
    func `a service whose enclave was started again is connected by itself, and told that all is locked`() throws {
        let folder = RemoteEnclaveFolder(connection(), uid: uid)
        try folder.create()
        let remote = try folder.open()
        let owner = try RemoteEnclaveControl(connectingTo: enclave.controlPath, uid: uid)
        try owner.changePasscode(from: nil, to: SecretBytes(Array("passcode".utf8)))
        let states = Mutex<[EnclaveState.Lock]>([])
        remote.observe { state in states.withLock { $0.append(state.lock) } }
        #expect(try remote.state().lock == .unlocked)
        let process = try #require(enclave.child)
        kill(process, SIGKILL)
        // Nothing is asked: the service hears of it by itself.
        for _ in 0..<2_000 {
            if states.withLock({ $0.contains(.beforeFirstUnlock) }) { break }
            usleep(10_000)
        }
        #expect(states.withLock { $0.last } == .beforeFirstUnlock)
        #expect(try remote.state().lock == .beforeFirstUnlock)
        #expect(enclave.said.contains("ended -9"))
    }
}
