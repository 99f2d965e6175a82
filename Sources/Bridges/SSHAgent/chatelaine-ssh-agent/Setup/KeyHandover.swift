import CKeychainLinux
import Foundation
import Glibc
import KeychainClient
import KeychainSystem
import SSHAgentProtocol
import Terminal

/// Has the user's own ssh-add read a file with a private key: it believes that it speaks to an agent.
enum KeyHandover {
    /// - Returns: the plain key, and the certificates that ssh-add has found beside the file.
    /// - Throws: where ssh-add fails, which says why itself, and for a key of another kind.
    static func take(from file: String) throws -> (key: NewIdentity, certificates: [SSHPublicKey]) {
        let folder = try newFolder()
        let path = folder + "/agent"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let listener = try AgentSocket.make(at: path)
        let taken = Handed()
        let acceptor = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            receive(listener.descriptor, into: taken)
            acceptor.signal()
        }
        let status = try UserProgram.run("ssh-add", ["-q", "--", file], with: ["SSH_AUTH_SOCK": path])
        // Wakes the thread.
        shutdown(listener.descriptor, Int32(SHUT_RDWR))
        acceptor.wait()
        listener.close()
        if let refusal = taken.refusal { throw Failure("the key cannot be stored: \(refusal.description)") }
        guard status == 0 else { throw Failure("ssh-add could not read the key") }
        guard let identity = taken.identity else { throw Failure("ssh-add handed no key over that can be stored") }
        return (identity, taken.certificates)
    }

    private static func newFolder() throws -> String {
        let parent = Environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var template = Array((parent + "/chatelaine-import-XXXXXX").utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer {
            unsafe $0.baseAddress.map { unsafe mkdtemp($0) != nil } ?? false
        }
        guard isMade else { throw Failure("no folder can be made in \(parent): \(AgentServer.reason)") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// What was handed over, written by one thread and read after its end.
    private final class Handed: @unchecked Sendable {
        var identity: NewIdentity?
        var certificates: [SSHPublicKey] = []
        /// Why something was not taken.
        var refusal: SSHFormatError?
    }

    private static func receive(_ listener: Int32, into handed: Handed) {
        while true {
            let client = clinux_accept(listener)
            guard client >= 0 else {
                if errno == EINTR { continue }
                return
            }
            defer { close(client) }
            // A silent connection keeps ssh-add waiting for ten seconds at most.
            var patience = timeval(tv_sec: 10, tv_usec: 0)
            _ = unsafe setsockopt(
                client,
                SOL_SOCKET,
                SO_RCVTIMEO,
                &patience,
                socklen_t(MemoryLayout<timeval>.size)
            )
            guard LentDescriptor(client).peer?.uid == getuid() else { continue }
            answer(client, handed)
        }
    }

    private static func answer(_ client: Int32, _ handed: Handed) {
        var reader = FrameReader()
        while true {
            var bytes = [UInt8](repeating: 0, count: min(reader.wanted, 16 << 10))
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe recv(client, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { return }
            let frame: [UInt8]?
            do throws(SSHFormatError) {
                frame = try reader.receive(bytes.prefix(count))
            } catch {
                return
            }
            guard let frame else { continue }
            let reply = reply(to: frame, handed).frame
            guard unsafe send(client, reply, reply.count, Int32(MSG_NOSIGNAL)) == reply.count else { return }
        }
    }

    private static func reply(to frame: [UInt8], _ handed: Handed) -> AgentReply {
        let request: AgentRequest
        do throws(SSHFormatError) {
            request = try AgentRequest(frame)
        } catch {
            if AgentRequest.adds(frame) { handed.refusal = error }
            return .failure
        }
        guard case .add(let new) = request else { return .failure }
        let key = new.key.publicKey
        if key.certificate == nil {
            handed.identity = new
        } else {
            // ssh-add sends the plain key first.
            guard handed.identity?.key.publicKey == key.plain else { return .failure }
            handed.certificates.append(key)
        }
        return .success
    }
}
