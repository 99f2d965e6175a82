import EnclaveClient
import EnclaveInterface
import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// The sockets of the session's service, made by systemd before it starts.
@Suite(.timeLimit(.minutes(3)))
struct HandedOverSocketTests {
    /// Makes both, as the units say, and becomes the service.
    private static func wrapper(_ folder: String, controlKind: String = "SOCK_SEQPACKET") -> [String] {
        let script = """
            import os, socket, sys
            copies = []
            for path, kind in zip(sys.argv[1:3], (socket.SOCK_STREAM, socket.\(controlKind))):
                made = socket.socket(socket.AF_UNIX, kind)
                made.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
                made.bind(path)
                made.listen(8)
                copies.append(os.dup(made.fileno()))
                made.detach()
            high = [os.dup2(copy, 20 + number) for number, copy in enumerate(copies)]
            for number, copy in enumerate(high): os.dup2(copy, 3 + number)
            for copy in high: os.close(copy)
            os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='2',
                              LISTEN_FDNAMES='chatelained.socket:control')
            os.execv(sys.argv[3], sys.argv[3:])
            """
        return ["python3", "-c", script, folder + "/keychain.sock", folder + "/enclave.sock"]
    }

    @Test
    func `a passcode can be given where systemd listened before the service was there`() throws {
        let keychain = try TestKeychain()
        let folder = keychain.surroundings
        let service = try ServiceProcess(in: folder, wrapper: Self.wrapper(folder), bindsSocket: false)
        try waitUntil("the socket is there") { FileManager.default.fileExists(atPath: folder + "/enclave.sock") }
        // Right after the socket is there it may not listen.
        var control: RemoteEnclaveControl?
        try waitUntil("the socket listens", pause: 0) {
            control = try? RemoteEnclaveControl(connectingTo: folder + "/enclave.sock")
            return control != nil
        }
        // There is none yet: so says the service, which was waited for.
        #expect(throws: KeychainError(.itemNotFound, "")) { try control?.state() }
        let client = ServiceConnection(ServiceAddress(path: service.socket, kind: .session))
        _ = try client.add(Item.add("a", secret: [1]))
        #expect(try control?.state().lock == .unlocked)
        service.kill(SIGTERM)
        #expect(service.waitForExit() == 0)
        // The path is systemd's.
        #expect(FileManager.default.fileExists(atPath: folder + "/enclave.sock"))
    }

    @Test
    func `a socket of another kind is not taken for one of passcodes`() throws {
        let keychain = try TestKeychain()
        let folder = keychain.surroundings
        let service = try ServiceProcess(
            in: folder,
            wrapper: Self.wrapper(folder, controlKind: "SOCK_STREAM"),
            bindsSocket: false
        )
        #expect(service.waitForExit() == 1)
        #expect(service.log.contains("is no listening UNIX socket of packets"))
    }
}
