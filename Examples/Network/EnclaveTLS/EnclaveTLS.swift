import ArgumentParser

/// TLS 1.3 whose client proves itself with a key that never leaves the Secure Enclave.
@main
struct EnclaveTLS: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enclave-tls",
        abstract: "TLS with a client's key in the Secure Enclave: a server and its client.",
        subcommands: [Certificate.self, Serve.self, Connect.self, Demo.self]
    )
}
