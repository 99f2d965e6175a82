import Crypto
import Foundation
import Synchronization

/// Enrols keys and lets their people in. It knows nothing of HTTP.
final class LoginService: Sendable {
    private struct Challenge {
        let user: UserName
        let end: ContinuousClock.Instant
    }

    private struct Session {
        let user: UserName
        let end: ContinuousClock.Instant
    }

    private struct State {
        var challenges: [Data: Challenge] = [:]
        /// By the SHA-256 of their tokens.
        var sessions: [Data: Session] = [:]
    }

    private let origin: Origin
    private let users: UserFile
    private let challengeLifetime: Duration
    private let state = Mutex(State())

    /// Strangers can ask for challenges too: beyond these the oldest is forgotten.
    private static let mostChallenges = 4096
    private static let mostSessions = 4096
    private static let sessionLifetime = Duration.seconds(3600)

    /// A key that nobody has, in the place of one that is not there: unknown users cost the same work.
    private let nobody = P256.Signing.PrivateKey().publicKey

    init(origin: Origin, users: UserFile, challengeLifetime: Duration = .seconds(60)) {
        self.origin = origin
        self.users = users
        self.challengeLifetime = challengeLifetime
    }

    /// - Returns: whether the key is the user's from now on. It is not without an invitation, which is used up by it.
    func enrol(_ request: EnrolmentRequest) throws -> Bool {
        guard let key = try? P256.Signing.PublicKey(x963Representation: request.publicKey) else {
            throw BadRequest("“publicKey” is no point on P-256.")
        }
        return try state.withLock { _ in
            var known = try users.read()
            let given = SHA256.hash(data: Data(request.invitation.utf8))
            guard let expected = known[request.user.description]?.invitation, given == expected else { return false }
            known[request.user.description] = UserFile.User(publicKey: key.x963Representation)
            try users.write(known)
            return true
        }
    }

    /// A challenge for one attempt, for whoever asks: who is enrolled is told to nobody.
    func challenge(for user: UserName) -> Data {
        let challenge = randomBytes(LoginStatement.challengeSize)
        let now = ContinuousClock.now
        state.withLock { state in
            if state.challenges.count >= Self.mostChallenges {
                state.challenges = state.challenges.filter { $1.end > now }
            }
            if state.challenges.count >= Self.mostChallenges,
                let oldest = state.challenges.min(by: { $0.value.end < $1.value.end })
            {
                state.challenges[oldest.key] = nil
            }
            state.challenges[challenge] = Challenge(user: user, end: now + challengeLifetime)
        }
        return challenge
    }

    /// - Returns: a session's token; nil whatever is wrong, after the same work.
    func logIn(_ request: LoginRequest) throws -> String? {
        guard request.challenge.count == LoginStatement.challengeSize else {
            throw BadRequest("“challenge” is not \(LoginStatement.challengeSize) bytes.")
        }
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: request.signature) else {
            throw BadRequest("“signature” is not 64 bytes.")
        }
        // Gone before it is looked at: it is good for one attempt, whatever comes of it.
        let challenge = state.withLock { $0.challenges.removeValue(forKey: request.challenge) }
        let stored = try users.read()[request.user.description]?.publicKey
        let key = stored.flatMap { try? P256.Signing.PublicKey(x963Representation: $0) }
        let statement = LoginStatement(origin: origin, user: request.user, challenge: request.challenge)
        let isSigned = (key ?? nobody).isValidSignature(signature, for: statement.bytes)
        let now = ContinuousClock.now
        guard let challenge, challenge.user == request.user, challenge.end > now, key != nil, isSigned else {
            return nil
        }
        return openSession(for: request.user, at: now)
    }

    private func openSession(for user: UserName, at now: ContinuousClock.Instant) -> String {
        let token = randomText()
        state.withLock { state in
            if state.sessions.count >= Self.mostSessions { state.sessions = state.sessions.filter { $1.end > now } }
            if state.sessions.count >= Self.mostSessions,
                let oldest = state.sessions.min(by: { $0.value.end < $1.value.end })
            {
                state.sessions[oldest.key] = nil
            }
            state.sessions[Self.name(of: token)] = Session(user: user, end: now + Self.sessionLifetime)
        }
        return token
    }

    /// Whose session it is.
    func user(of token: String) -> UserName? {
        let session = state.withLock { $0.sessions[Self.name(of: token)] }
        return session.flatMap { $0.end > .now ? $0.user : nil }
    }

    private static func name(of token: String) -> Data { Data(SHA256.hash(data: Data(token.utf8))) }
}

/// A request that is none, and why: a sentence for whoever wrote the client.
struct BadRequest: Error {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
}
