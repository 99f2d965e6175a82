import Testing

@Suite("KeychainProtocol")
struct KeychainProtocolTests {}
