import ArgumentParser
import Foundation
import LocalAuthentication

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "All of it in one process, and what is refused.")

    @Flag var demand: LoginKey.Demand = .fingerOrPasscode

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "finger-login-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let users = UserFile(path: folder.appending(path: "users.json").path)
        let server = try await HTTPServer(host: "127.0.0.1", port: 0)
        guard let origin = Origin("http://127.0.0.1:\(server.port)"), let user = UserName("alice") else { return }
        let harness = LoginHarness(service: LoginService(origin: origin, users: users))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run(harness) }
            try await walk(LoginClient(origin: origin, user: user), users)
            group.cancelAll()
        }
    }

    private func walk(_ client: LoginClient, _ users: UserFile) async throws {
        step("\(client.origin) is told to expect \(client.user).")
        let invitation = try users.invite(client.user)

        step("\(client.user) makes a key in the Secure Enclave, and the server learns its public half.")
        try await client.enrol(invitation: invitation, demanding: demand)
        defer { _ = try? LoginKey.delete(for: client.origin, client.user) }

        step("\(client.user) logs in: the server's challenge is signed once the person has proved to be there.")
        let request = try await client.loginRequest()
        let reply: LoginReply = try await client.send("login", request)
        print("  ✓ It is \(try await client.session(reply.token))'s session.")

        step("Somebody who has listened sends the same once more.")
        try await refused { let _: LoginReply = try await client.send("login", request) }

        step("A server with another address passes a challenge on, and gets a signature for itself.")
        try await refused {
            guard let origin = Origin("https://login.example") else { return }
            let context = LAContext()
            context.localizedReason = "Log in as \(client.user) at \(origin)"
            guard let key = try LoginKey.find(for: client.origin, client.user, in: context) else { return }
            let passedOn: ChallengeReply = try await client.send("challenge", ChallengeRequest(user: client.user))
            let statement = LoginStatement(origin: origin, user: client.user, challenge: passedOn.challenge)
            let signature = try await key.sign(statement)
            let stolen = LoginRequest(user: client.user, challenge: passedOn.challenge, signature: signature)
            let _: LoginReply = try await client.send("login", stolen)
        }
    }

    private func refused(_ attempt: () async throws -> Void) async throws {
        do {
            try await attempt()
        } catch let failure as Failure {
            print("  ✓ \(failure)")
            return
        }
        throw Failure("it was let in")
    }

    private func step(_ text: String) {
        print("→ \(text)")
        fflush(nil)
    }
}
