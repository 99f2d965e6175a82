import CKeychainLinux
import Glibc
package import KeychainSystem

/// The other end of `RemoteWitness`: the whole of what chatelaine-identify does.
///
/// It gets no byte of a client's, and reads none of a client's files: it says what they are.
package struct WitnessService: Sendable {
    private let socket: Descriptor
    private let reader: ProcessReader
    private let testimony: AskerTestimony?

    /// - Parameters:
    ///   - socket: of the kind SOCK_SEQPACKET, connected to the server.
    ///   - testimony: where the enclave is told of callers; nil where it is not.
    package init(_ socket: Descriptor, reach: ProcessReader.Reach = .ofSystem, testimony: AskerTestimony? = nil) {
        self.socket = socket
        reader = ProcessReader(reach: reach)
        self.testimony = testimony
    }

    /// Answers until the server has gone. Any number of threads can do this at once; one question holds up one thread,
    /// and never has more than a dozen descriptors open.
    package func run() {
        while answerNext() {}
    }

    /// - Returns: false when the server has gone.
    private func answerNext() -> Bool {
        var chunk = clinux_chunk()
        var bytes: [UInt8] = [0, 0]
        let count = unsafe clinux_receive(socket.number, &bytes, bytes.count, 0, &chunk)
        defer { unsafe clinux_chunk_close(&chunk) }
        if count < 0, errno == EINTR { return true }
        guard count > 0 else { return false }
        // A question that is none gets no answer.
        guard count == 1, !chunk.truncated, chunk.descriptor_count == 2,
            let question = WitnessQuestion(rawValue: bytes[0])
        else { return true }
        let subject = unsafe Descriptor(owning: clinux_chunk_take(&chunk, 0))
        let reply = unsafe Descriptor(owning: clinux_chunk_take(&chunk, 1))
        switch question {
        case .identify: identify(subject, reply: reply)
        case .lookAgain: lookAgain(subject, reply: reply)
        case .vouch: vouch(subject, reply: reply)
        }
        return true
    }

    /// Looks for itself, at the process that the kernel says has connected.
    private func vouch(_ client: Descriptor, reply: Descriptor) {
        guard let testimony, let process = try? PinnedProcess(connectedTo: client.number),
            let (facts, _) = try? reader.read(process)
        else { return send(WitnessAnswer.gone, [], to: reply) }
        let path = facts.executable?.protectedPath ?? SymbolicLink.target(of: "exe", in: process.folder) ?? ""
        guard let voucher = testimony.give(about: client.number, facts, path: path), process.isAlive else {
            return send(WitnessAnswer.gone, [], to: reply)
        }
        send(WitnessAnswer.encode(voucher: voucher), [], to: reply)
    }

    private func identify(_ client: Descriptor, reply: Descriptor) {
        guard let process = try? PinnedProcess(connectedTo: client.number),
            let (facts, executable) = try? reader.read(process)
        else { return send(WitnessAnswer.gone, [], to: reply) }
        send(
            WitnessAnswer.encode(facts),
            [process.pidfd.number, process.folder.number] + (executable.map { [$0.number] } ?? []),
            to: reply
        )
    }

    private func lookAgain(_ folder: Descriptor, reply: Descriptor) {
        // Only what is one of the kernel's process folders: any other would show its files' states to the server.
        guard clinux_is_of_proc(folder.number), let facts = try? reader.readAgain(folder)
        else { return send(WitnessAnswer.gone, [], to: reply) }
        send(WitnessAnswer.encode(facts), [], to: reply)
    }

    /// Never waits: the socket is new, and an answer fits.
    private func send(_ bytes: [UInt8], _ descriptors: [Int32], to reply: Descriptor) {
        _ = unsafe clinux_send(
            reply.number,
            bytes,
            bytes.count,
            descriptors,
            Int32(clamping: descriptors.count),
            Int32(MSG_DONTWAIT)
        )
    }
}
