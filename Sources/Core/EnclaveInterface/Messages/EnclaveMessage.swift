/// One message to or from the enclave: one packet of a SOCK_SEQPACKET socket.
///
/// docs/formats/enclave-messages.md gives every byte.
package enum EnclaveMessage {
    package static let version: UInt8 = 1

    /// In bytes, with the header. More is refused by both ends.
    package static let largest = 64 << 10

    package static let headerSize = 12

    /// How many item keys one message may be about, so that no question keeps the others waiting.
    package static let mostKeys = 256

    /// In bytes. A passcode's limit is the enclave's own and lower.
    static let largestSecret = 4 << 10

    /// In bytes, of what a private key has computed: a signature of ML-DSA-87 has 4,627.
    static let largestResult = 5 << 10

    /// In bytes, of the sentence in a failure.
    static let largestText = 512

    /// What stands before each body.
    package struct Header: Sendable, Equatable {
        package var kind: UInt8
        /// A reply has its request's.
        package var id: UInt32
        /// Whose keychain it is about.
        package var uid: UInt32
    }
}

/// What the enclave says unasked, to the keychain service.
let stateChangedKind: UInt8 = 254

/// What the enclave says unasked, to prompters.
let promptKind: UInt8 = 253
let withdrawalKind: UInt8 = 252
let stateRequestKind: UInt8 = 251
