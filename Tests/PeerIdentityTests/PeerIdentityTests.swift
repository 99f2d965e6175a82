import Testing

@Suite("PeerIdentity")
struct PeerIdentityTests {}
