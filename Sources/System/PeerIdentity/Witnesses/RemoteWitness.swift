import CKeychainLinux
import Glibc
package import KeychainSystem

/// Has chatelaine-identify look, over its socket: for a server that has no right to look at other users' processes.
///
/// Each question brings a socket of its own for its answer, so that any number of threads can ask at once and a late
/// answer reaches no other caller.
package struct RemoteWitness: VouchingWitness {
    private let socket: Descriptor

    /// - Parameter socket: of the kind SOCK_SEQPACKET, connected to chatelaine-identify.
    package init(_ socket: Descriptor) {
        self.socket = socket
    }

    package func identify(
        _ client: Int32,
        by deadline: ContinuousClock.Instant
    ) throws(WitnessError) -> PeerEvidence {
        var answer = try ask(.identify, about: client, by: deadline)
        defer { unsafe clinux_chunk_close(&answer.chunk) }
        guard answer.bytes != WitnessAnswer.gone else { throw .isGone }
        guard let facts = WitnessAnswer.decodeFacts(answer.bytes), let pidfd = answer.take(0),
            let folder = answer.take(1)
        else { throw Self.isNoAnswer }
        let executable = answer.take(2)
        guard (executable == nil) == (facts.executable == nil) else { throw Self.isNoAnswer }
        return PeerEvidence(
            process: PinnedProcess(pid: facts.pid, pidfd: pidfd, folder: folder),
            facts: facts,
            executable: executable
        )
    }

    package func lookAgain(
        at process: PinnedProcess,
        by deadline: ContinuousClock.Instant
    ) throws(WitnessError) -> RecheckedFacts {
        var answer = try ask(.lookAgain, about: process.folder.number, by: deadline)
        defer { unsafe clinux_chunk_close(&answer.chunk) }
        guard answer.bytes != WitnessAnswer.gone, process.isAlive else { throw .isGone }
        guard let facts = WitnessAnswer.decodeRecheckedFacts(answer.bytes) else { throw Self.isNoAnswer }
        return facts
    }

    package func vouch(
        for client: Int32,
        by deadline: ContinuousClock.Instant
    ) throws(WitnessError) -> [UInt8] {
        var answer = try ask(.vouch, about: client, by: deadline)
        unsafe clinux_chunk_close(&answer.chunk)
        guard answer.bytes != WitnessAnswer.gone else {
            throw .noAnswer("chatelaine-identify can tell the enclave nothing of the caller; see whether both run")
        }
        guard let voucher = WitnessAnswer.decodeVoucher(answer.bytes) else { throw Self.isNoAnswer }
        return voucher
    }

    private struct Answer {
        var bytes: [UInt8]
        var chunk: clinux_chunk

        mutating func take(_ index: Int32) -> Descriptor? {
            let number = unsafe clinux_chunk_take(&chunk, index)
            return number >= 0 ? Descriptor(owning: number) : nil
        }
    }

    private func ask(
        _ question: WitnessQuestion,
        about descriptor: Int32,
        by deadline: ContinuousClock.Instant
    ) throws(WitnessError) -> Answer {
        let own: Descriptor
        do {
            // Only the process that is asked may hold the other end: its death has to be seen.
            guard let (mine, others) = try? Descriptor.pair(SOCK_SEQPACKET) else {
                throw WitnessError.noAnswer("no socket can be made to ask who is calling")
            }
            own = mine
            let descriptors = [descriptor, others.number]
            while true {
                try Self.wait(for: POLLOUT, on: socket.number, by: deadline)
                let sent = unsafe clinux_send(
                    socket.number,
                    [question.rawValue],
                    1,
                    descriptors,
                    2,
                    Int32(MSG_DONTWAIT)
                )
                if sent == 1 { break }
                guard errno == EAGAIN || errno == EINTR else {
                    throw .noAnswer("chatelaine-identify cannot be asked who is calling")
                }
            }
        }
        try Self.wait(for: POLLIN, on: own.number, by: deadline)
        var chunk = clinux_chunk()
        var bytes = [UInt8](repeating: 0, count: WitnessAnswer.largest)
        let count = unsafe clinux_receive(own.number, &bytes, bytes.count, Int32(MSG_DONTWAIT), &chunk)
        guard count > 0, !chunk.truncated else {
            unsafe clinux_chunk_close(&chunk)
            throw Self.isNoAnswer
        }
        return Answer(bytes: Array(bytes[..<count]), chunk: chunk)
    }

    private static func wait(
        for event: Int32,
        on socket: Int32,
        by deadline: ContinuousClock.Instant
    ) throws(WitnessError) {
        guard let isReady = try? LentDescriptor(socket).wait(for: event, until: deadline), isReady else {
            throw .noAnswer("chatelaine-identify did not say in time who is calling")
        }
    }

    private static let isNoAnswer = WitnessError.noAnswer(
        "chatelaine-identify gave no answer about who is calling; see whether it runs"
    )
}
