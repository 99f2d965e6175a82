/// The commands of CTAPHID that this authenticator knows (CTAP 2.1, section 11.2.9).
enum HIDCommand: UInt8 {
    /// Sends a message back as it is.
    case ping = 0x01
    /// Allocates a channel, or resynchronises one.
    case initialize = 0x06
    case wink = 0x08
    case cbor = 0x10
    case cancel = 0x11

    /// The two that only an authenticator sends.
    case keepalive = 0x3B
    case error = 0x3F
}

/// What the message of an ERROR says (CTAP 2.1, section 11.2.9.1.6).
enum HIDError: UInt8 {
    case invalidCommand = 0x01
    case invalidLength = 0x03
    case invalidSequence = 0x04
    case messageTimeout = 0x05
    case channelBusy = 0x06
    case invalidChannel = 0x0B
}
