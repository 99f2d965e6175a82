import Testing

@Suite("KeychainServer")
struct KeychainServerTests {}
