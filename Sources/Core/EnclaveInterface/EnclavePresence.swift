/// Which of the enclave's files are there.
package enum EnclavePresence: Sendable, Equatable {
    case none
    case complete
    /// Names one that is not.
    case incomplete(missing: String)
}
