package import KeychainSystem

/// Looks at the processes that connect.
package protocol PeerWitness: Sendable {
    /// The process that connected a socket, and all about it.
    ///
    /// - Throws: `isGone` if it has ended or cannot be seen; `noAnswer` if no answer came in time.
    func identify(_ socket: Int32, by deadline: ContinuousClock.Instant) throws(WitnessError) -> PeerEvidence

    /// The same process, looked at again.
    func lookAgain(
        at process: PinnedProcess,
        by deadline: ContinuousClock.Instant
    ) throws(WitnessError) -> RecheckedFacts
}

/// One that can also tell the enclave of a process that has connected, without the server's having a say in it.
package protocol VouchingWitness: PeerWitness {
    /// - Parameter socket: the server's end of the connection.
    /// - Returns: the bytes of the voucher that the enclave has got.
    /// - Throws: `isGone` if the process has ended, or cannot be seen; `noAnswer` where the enclave was not reached.
    func vouch(for socket: Int32, by deadline: ContinuousClock.Instant) throws(WitnessError) -> [UInt8]
}

/// A process and what was found out about it.
package struct PeerEvidence: Sendable {
    package let process: PinnedProcess
    package let facts: ProcessFacts
    /// Its executable, open for reading.
    package let executable: Descriptor?

    package init(process: PinnedProcess, facts: ProcessFacts, executable: Descriptor?) {
        self.process = process
        self.facts = facts
        self.executable = executable
    }
}
