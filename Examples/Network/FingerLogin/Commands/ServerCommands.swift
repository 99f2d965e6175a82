import ArgumentParser
import Foundation

struct Invite: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let somebody enrol a key: prints what they have to give."
    )

    @Option(help: "The file of the users; it is made where there is none.", completion: .file())
    var users: String

    @Option(help: "Who.")
    var user: UserName

    func run() throws { print(try UserFile(path: users).invite(user)) }
}

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Run the server.")

    @Option(help: "The file of the users.", completion: .file())
    var users: String

    @Option(help: "Where to listen.")
    var host = "127.0.0.1"

    @Option(help: "Where to listen; 0 for any free port.")
    var port: UInt16 = 8080

    @Option(help: "What clients address, if it is not this: https://HOST, with a proxy in front.")
    var origin: Origin?

    @Option(help: ArgumentHelp("How long a challenge is good for.", valueName: "seconds"))
    var lifetime: UInt16 = 60

    func run() async throws {
        let file = UserFile(path: users)
        _ = try file.read()
        let server = try await HTTPServer(host: host, port: Int(port))
        guard let origin = origin ?? Origin("http://\(host):\(server.port)") else {
            throw ValidationError("Say with --origin how clients address it.")
        }
        let service = LoginService(origin: origin, users: file, challengeLifetime: .seconds(lifetime))
        print("Serving \(origin)")
        fflush(nil)
        try await server.run(LoginHarness(service: service))
    }
}
