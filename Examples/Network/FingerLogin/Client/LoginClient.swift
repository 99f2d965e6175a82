import Foundation
import FoundationNetworking
import LocalAuthentication

/// A person's side: makes their key, and logs in with it.
struct LoginClient: Sendable {
    let origin: Origin
    let user: UserName

    func enrol(invitation: String, demanding demand: LoginKey.Demand) async throws {
        let key = try LoginKey.make(for: origin, user, demanding: demand)
        do {
            let request = EnrolmentRequest(user: user, invitation: invitation, publicKey: try key.publicKey())
            let _: Nothing = try await send("enrol", request)
        } catch {
            // The server does not know it: it is of no use.
            _ = try? LoginKey.delete(for: origin, user)
            throw error
        }
    }

    /// Asks the person.
    ///
    /// - Returns: the session's token.
    func logIn() async throws -> String {
        let request = try await loginRequest()
        let reply: LoginReply = try await send("login", request)
        return reply.token
    }

    /// What logs in, once: a new challenge, signed.
    func loginRequest() async throws -> LoginRequest {
        let context = LAContext()
        context.localizedReason = "Log in as \(user) at \(origin)"
        guard let key = try LoginKey.find(for: origin, user, in: context) else {
            throw Failure("there is no key for \(user) at \(origin)")
        }
        let reply: ChallengeReply = try await send("challenge", ChallengeRequest(user: user))
        guard reply.challenge.count == LoginStatement.challengeSize else {
            throw Failure("the server's challenge is none")
        }
        // The address that the person has given, never one that a server says it has.
        let statement = LoginStatement(origin: origin, user: user, challenge: reply.challenge)
        let signature = try await key.sign(statement)
        // The proof was for this, and for nothing that comes after it.
        context.invalidate()
        return LoginRequest(user: user, challenge: reply.challenge, signature: signature)
    }

    /// Whose session the server takes a token for.
    func session(_ token: String) async throws -> UserName {
        var request = try request("session")
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let reply: SessionReply = try await perform(request)
        return reply.user
    }

    func send<Reply: Decodable>(_ path: String, _ message: some Encodable) async throws -> Reply {
        var request = try request(path)
        request.httpMethod = "POST"
        request.httpBody = try JSONEncoder().encode(message)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        return try await perform(request)
    }

    private func request(_ path: String) throws -> URLRequest {
        guard let url = URL(string: "\(origin)/\(path)") else { throw Failure("\(origin) is no address") }
        return URLRequest(url: url, timeoutInterval: 30)
    }

    private func perform<Reply: Decodable>(_ request: URLRequest) async throws -> Reply {
        let (data, response) = try await URLSession.shared.data(for: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            throw Failure(
                "the server says: " + ((try? JSONDecoder().decode(Refusal.self, from: data))?.error ?? "nothing")
            )
        }
        return try JSONDecoder().decode(Reply.self, from: data)
    }
}
