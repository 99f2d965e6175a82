/// A command with its parameters.
enum CTAPRequest {
    case makeCredential(MakeCredentialRequest)
    case getAssertion(GetAssertionRequest)
    case getInfo
    case clientPIN(ClientPINRequest)
    case reset
    case nextAssertion
    case management(ManagementRequest)
    case selection

    /// - Throws: `invalidCommand` for one that is not known here, and what is wrong with the parameters.
    init(_ message: [UInt8]) throws(CTAPStatus) {
        let rest = message.dropFirst()
        switch message.first {
        case 0x01: self = .makeCredential(try MakeCredentialRequest(rest))
        case 0x02: self = .getAssertion(try GetAssertionRequest(rest))
        case 0x04: self = .getInfo
        case 0x06: self = .clientPIN(try ClientPINRequest(rest))
        case 0x07: self = .reset
        case 0x08: self = .nextAssertion
        // 0x41 is what CTAP 2.0's preview had.
        case 0x0A, 0x41: self = .management(try ManagementRequest(rest))
        case 0x0B: self = .selection
        default: throw .invalidCommand
        }
    }
}
