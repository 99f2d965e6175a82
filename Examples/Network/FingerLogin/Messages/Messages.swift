import Foundation

// What goes over the wire, as JSON.

struct EnrolmentRequest: Codable, Sendable {
    let user: UserName
    /// What the person was given by whoever runs the server; good for one key.
    let invitation: String
    /// A point on P-256: 04, X, Y.
    let publicKey: Data
}

struct ChallengeRequest: Codable, Sendable {
    let user: UserName
}

struct ChallengeReply: Codable, Sendable {
    let challenge: Data
}

struct LoginRequest: Codable, Sendable {
    let user: UserName
    let challenge: Data
    /// r and s of ECDSA with SHA-256 over a `LoginStatement`, 32 bytes each.
    let signature: Data
}

struct LoginReply: Codable, Sendable {
    let token: String
}

struct SessionReply: Codable, Sendable {
    let user: UserName
}

/// What any request can be answered instead.
struct Refusal: Codable, Sendable {
    let error: String
}

struct Nothing: Codable, Sendable {}
