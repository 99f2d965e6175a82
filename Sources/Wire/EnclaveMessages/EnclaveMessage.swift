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

/// What a reply brings.
enum ReplyKind: UInt8, CaseIterable {
    case done = 128
    case presence = 129
    case state = 130
    case serviceKeys = 131
    case boxes = 132
    case keys = 133
    case key = 134
    case bytes = 135
    case token = 136
    case proof = 137
    case answer = 138
    case presenceStatus = 139
    /// The owner was asked, or could not be.
    case unproved = 140
    /// A new item needs a password that was not given.
    case passwordNeeded = 141
    /// A private key, sealed.
    case enclaveKey = 142
    /// What a private key has done, or what its owner has to prove first.
    case used = 143
    case context = 144
    case failure = 255
}

/// What the enclave says unasked, to the keychain service.
let stateChangedKind: UInt8 = 254

/// What the enclave says unasked, to prompters.
let promptKind: UInt8 = 253
let withdrawalKind: UInt8 = 252
let biometryRequestKind: UInt8 = 251
