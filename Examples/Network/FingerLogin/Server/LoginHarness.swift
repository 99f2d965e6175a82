import Foundation
import NIOHTTP1

/// Requests of HTTP as calls of the service, and what it says as replies.
struct LoginHarness: Sendable {
    let service: LoginService

    struct Reply: Sendable {
        let status: HTTPResponseStatus
        let body: Data

        init(_ status: HTTPResponseStatus, _ message: some Encodable) {
            self.status = status
            body = (try? JSONEncoder().encode(message)) ?? Data()
        }

        static func bad(_ sentence: String) -> Reply { Reply(.badRequest, Refusal(error: sentence)) }
    }

    func reply(to head: HTTPRequestHead, _ body: Data) -> Reply {
        do {
            switch (head.method, head.uri) {
            case (.POST, "/enrol"):
                return try service.enrol(decode(body)) ? Reply(.ok, Nothing()) : refused
            case (.POST, "/challenge"):
                let request: ChallengeRequest = try decode(body)
                return Reply(.ok, ChallengeReply(challenge: service.challenge(for: request.user)))
            case (.POST, "/login"):
                guard let token = try service.logIn(decode(body)) else { return refused }
                return Reply(.ok, LoginReply(token: token))
            case (.GET, "/session"):
                let words = head.headers.first(name: "authorization")?.split(separator: " ") ?? []
                guard words.count == 2, words[0] == "Bearer", let user = service.user(of: String(words[1])) else {
                    return refused
                }
                return Reply(.ok, SessionReply(user: user))
            default:
                return Reply(.notFound, Refusal(error: "There is nothing here."))
            }
        } catch let error as BadRequest {
            return .bad(error.sentence)
        } catch {
            // What is wrong with our files is nobody else's business.
            print("\(error)")
            return Reply(.internalServerError, Refusal(error: "The server cannot do its work."))
        }
    }

    /// The same words for whatever is wrong.
    private var refused: Reply { Reply(.unauthorized, Refusal(error: "This is refused.")) }

    private func decode<Message: Decodable>(_ body: Data) throws -> Message {
        do {
            return try JSONDecoder().decode(Message.self, from: body)
        } catch DecodingError.keyNotFound(let key, _) {
            throw BadRequest("“\(key.stringValue)” is missing.")
        } catch DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context)
        {
            guard let field = context.codingPath.last else {
                throw BadRequest("The body is not the JSON that it should be.")
            }
            throw BadRequest("“\(field.stringValue)” is not what it should be.")
        } catch {
            throw BadRequest("The body is not the JSON that it should be.")
        }
    }
}
