import ArgumentParser
import Crypto
import Foundation
import NIOSSL
import SwiftASN1

struct Certificate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the client's certificate, for the server.",
        discussion: "Key and certificate are made where there are none, and kept in the keychain."
    )

    @Flag(help: "A new key asks for a finger or the passcode whenever it signs.")
    var ask = false

    @Flag(help: "Delete key and certificate instead.")
    var delete = false

    func run() throws {
        if delete { return try ClientIdentity.delete() }
        print(pem(try ClientIdentity.findOrMake(asking: ask).certificate))
    }
}

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Run the server, for one client.")

    @Option(help: "Where to listen, on this machine; 0 for any free port.")
    var port: UInt16 = 8443

    @Option(help: "The client's certificate.", completion: .file())
    var clientCertificate: String

    @Option(help: "Where to write the server's own certificate, which is a new one.", completion: .file())
    var serverCertificate: String

    func run() async throws {
        let server = try await TLSServer(
            host: "127.0.0.1",
            port: Int(port),
            client: PinnedPeer(path: clientCertificate)
        )
        try Data((pem(server.certificate.toDERBytes()) + "\n").utf8).write(
            to: URL(fileURLWithPath: serverCertificate)
        )
        print("server: listening on port \(server.port)")
        flush()
        try await server.run()
    }
}

struct Connect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Connect to the server, and say a line.")

    @Option(help: "Where the server is.")
    var host = "127.0.0.1"

    @Option(help: "Where the server is.")
    var port: UInt16 = 8443

    @Option(help: "The server's certificate.", completion: .file())
    var serverCertificate: String

    @Argument(help: "What to say.")
    var line = "Hello"

    func run() async throws {
        guard let identity = try ClientIdentity.find() else {
            throw Failure("there is no key: run “certificate” first")
        }
        let client = try TLSClient(identity, server: PinnedPeer(path: serverCertificate))
        show(try await client.say(line, to: host, port: Int(port)))
    }
}

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Both ends in one process, and a client that is refused.")

    @Flag(help: "The key asks for a finger or the passcode whenever it signs, also for its certificate.")
    var ask = false

    func run() async throws {
        let isNew = try ClientIdentity.find() == nil
        let identity = try ClientIdentity.findOrMake(asking: ask)
        defer { if isNew { try? ClientIdentity.delete() } }
        let server = try await TLSServer(host: "127.0.0.1", port: 0, client: PinnedPeer(identity.certificate))
        let known = PinnedPeer(try server.certificate.toDERBytes())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let client = try TLSClient(identity, server: known)
            show(try await client.say("Hello", to: "127.0.0.1", port: server.port))
            try await strangerIsRefused(by: server, known)
            group.cancelAll()
        }
    }

    /// One with a key of its own, whose certificate bears the same name.
    private func strangerIsRefused(by server: TLSServer, _ known: PinnedPeer) async throws {
        let key = P256.Signing.PrivateKey()
        let stranger = try TLSClient(
            certificate: selfSigned("enclave-tls client", by: .init(key)),
            key: NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der),
            server: known
        )
        do {
            show(try await stranger.say("Hello", to: "127.0.0.1", port: server.port))
        } catch {
            print("client: another one, of the same name, is refused")
            return
        }
        throw Failure("a stranger was let in")
    }
}

private func show(_ exchange: TLSClient.Exchange) {
    print("client: \(exchange.server) replied “\(exchange.reply)” (\(exchange.version))")
    flush()
}

private func pem(_ der: [UInt8]) -> String { PEMDocument(type: "CERTIFICATE", derBytes: der).pemString }
