import Crypto
import Foundation

/// Who may log in, as a file of JSON that its administrator can read and change.
struct UserFile: Sendable {
    struct User: Codable, Sendable {
        /// The SHA-256 of the invitation; nil once it is used.
        var invitation: Data?
        /// 04, X, Y; nil until it is enrolled.
        var publicKey: Data?
    }

    let path: String

    /// - Throws: a sentence where the file is there and cannot be read.
    func read() throws -> [String: User] {
        guard FileManager.default.fileExists(atPath: path) else { return [:] }
        do {
            return try JSONDecoder().decode([String: User].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw Failure("\(path) cannot be read as a list of users")
        }
    }

    func write(_ users: [String: User]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        do {
            try encoder.encode(users).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw Failure("\(path) cannot be written")
        }
    }

    /// Lets somebody enrol a key.
    ///
    /// - Returns: what they have to give for it.
    func invite(_ user: UserName) throws -> String {
        var users = try read()
        guard users[user.description]?.publicKey == nil else { throw Failure("\(user) has a key already") }
        let invitation = randomText()
        users[user.description] = User(invitation: Self.digest(invitation))
        try write(users)
        return invitation
    }

    static func digest(_ invitation: String) -> Data { Data(SHA256.hash(data: Data(invitation.utf8))) }
}
