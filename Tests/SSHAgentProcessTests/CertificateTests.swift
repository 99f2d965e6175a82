import Foundation
import KeychainTestSupport
import Testing

/// Certificates that are stored beside their keys.
@Suite("Stored certificates", .timeLimit(.minutes(5)))
struct CertificateTests {
    private let site: AgentSite
    private let server: SSHServer

    init() throws {
        site = try AgentSite()
        try site.makeKey("authority")
        server = try SSHServer("server.example", at: site, ["TrustedUserCAKeys \(site.folder)/authority.pub"])
    }

    private func certify(_ name: String, by authority: String = "authority", _ options: [String] = ["-V", "+1h"]) throws
    {
        let arguments = ["-q", "-s", authority, "-I", "test", "-n", "root"] + options + ["\(name).pub"]
        try site.succeed("ssh-keygen", arguments)
    }

    private func importing(_ arguments: String...) throws -> AgentSite.Outcome {
        try site.run("chatelaine", ["ssh", "import"] + arguments)
    }

    /// The kinds of the keys that ssh-add lists.
    private func kinds() throws -> [String] {
        let outcome = try site.run("ssh-add", ["-l"])
        guard outcome.status == 0 else { return [] }
        return outcome.lines.compactMap { $0.split(separator: " ").last.map(String.init) }
    }

    @Test(arguments: [
        ["-t", "ed25519"], ["-t", "rsa", "-b", "2048"], ["-t", "ecdsa", "-b", "384"], ["-t", "ecdsa", "-b", "256"],
    ])
    func `a certificate beside an imported key survives the agent, logs in, and goes with its key`(
        kind: [String]
    ) throws {
        try site.makeKey("kept", kind)
        try certify("kept")
        let imported = try importing("kept")
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(imported.lines.map { $0 + "\n" } == [try site.read("kept.pub"), try site.read("kept-cert.pub")])
        for name in ["kept", "kept-cert.pub"] { try site.succeed("rm", [name]) }
        try site.restart()
        #expect(try site.listed() == ["kept", "kept"])
        #expect(try kinds().last?.hasSuffix("-CERT)") == true)
        // The server knows the authority alone.
        let outcome = try server.logIn()
        #expect(outcome.output == "welcome\n", "\(outcome.errors)\(site.log)\(server.log)")
        #expect(server.log.contains("-CERT"), "\(server.log)")
        try site.succeed("chatelaine", ["ssh", "delete", "kept"])
        #expect(try site.listed() == [])
        #expect(try server.logIn().status == 255)
        #expect(try importing("kept-cert.pub").status == 1)
    }

    @Test func `a certificate of a key of the enclave is stored by itself, and the prompt says what for`() throws {
        _ = try site.createKey("enclave")
        try certify("enclave")
        let imported = try importing("enclave-cert.pub")
        #expect(imported.output == (try site.read("enclave-cert.pub")), "\(imported.errors)")
        try site.succeed("rm", ["enclave-cert.pub", "enclave.pub"])
        try site.restart()
        #expect(try kinds() == ["(ECDSA)", "(ECDSA-CERT)"])
        site.allow()
        let outcome = try server.logIn()
        #expect(outcome.output == "welcome\n", "\(outcome.errors)\(site.log)\(server.log)")
        #expect(try site.person.shown.contains("“log in to \(server.inPrompt()) as root”"), "\(site.person.shown)")
        #expect(site.person.dialogs == 1)
    }

    @Test func `a list shows until when, and certificates are deleted without their key`() throws {
        _ = try site.createKey("laptop", ["--no-presence"])
        try certify("laptop", ["-V", "20200101000000Z:20380101000000Z"])
        #expect(try importing("laptop-cert.pub").status == 0)
        let list = try site.succeed("chatelaine", ["ssh", "list"]).split(separator: "\n")
        #expect(list.count == 2)
        #expect(list.last?.hasSuffix("(certificate, until 2038-01-01T00:00:00Z) laptop") == true, "\(list)")
        try site.succeed("chatelaine", ["ssh", "delete", "--certificates", "laptop"])
        #expect(try kinds() == ["(ECDSA)"])
        #expect(try server.logIn().status == 255)
    }

    @Test func `a newer certificate takes the place of the older one by the same authority alone`() throws {
        try site.makeKey("other")
        _ = try site.createKey("laptop", ["--no-presence"])
        for (authority, options) in [
            ("authority", ["-V", "+1h"]), ("other", ["-V", "always:forever"]), ("authority", ["-V", "+2h"]),
        ] {
            try certify("laptop", by: authority, options)
            let imported = try importing("laptop-cert.pub")
            #expect(imported.status == 0, "\(imported.errors)")
        }
        let newest = try site.read("laptop-cert.pub")
        #expect(try kinds() == ["(ECDSA)", "(ECDSA-CERT)", "(ECDSA-CERT)"])
        #expect(try site.succeed("ssh-add", ["-L"]).contains(newest))
        #expect(try site.succeed("chatelaine", ["ssh", "list"]).contains("(certificate, for ever)"))
        let again = try importing("laptop-cert.pub")
        #expect(again.status == 1)
        #expect(again.errors.contains("has this certificate already"), "\(again.errors)")
    }

    @Test func `what is of no use is not stored: of another key, of a host, ended, altered, no certificate`() throws {
        _ = try site.createKey("laptop", ["--no-presence"])
        try site.makeKey("stranger")
        try certify("stranger")
        try certify("laptop", ["-h"])
        try site.succeed("mv", ["laptop-cert.pub", "host-cert.pub"])
        try certify("laptop", ["-V", "20200101:20210101"])
        try site.succeed("mv", ["laptop-cert.pub", "ended-cert.pub"])
        try certify("laptop")
        var fields = try site.read("laptop-cert.pub").split(separator: " ").map(String.init)
        var blob = Array(try #require(Data(base64Encoded: fields[1])))
        // In the authority's signature.
        blob[blob.count - 5] ^= 1
        fields[1] = Data(blob).base64EncodedString()
        try site.write(fields.joined(separator: " "), to: "altered-cert.pub")
        try site.write(try site.read("laptop.pub"), to: "plain-cert.pub")
        try site.write(String(repeating: "x", count: 300_000), to: "long-cert.pub")
        for name in ["stranger", "host", "ended", "altered", "plain", "long", "missing"] {
            let refused = try importing(name + "-cert.pub")
            #expect(refused.status == 1 && !refused.errors.isEmpty, "\(name): \(refused.output)")
        }
        #expect(try importing("--presence", "laptop-cert.pub").status == 2)
        #expect(try kinds() == ["(ECDSA)"])
    }

    @Test func `a certificate of a key for a locked keychain logs in there, and another is away with its key`() throws {
        _ = try site.createKey("usual", ["--no-presence"])
        _ = try site.createKey("kept", ["--no-presence", "--while-locked"])
        for name in ["usual", "kept"] {
            try certify(name)
            #expect(try importing(name + "-cert.pub").status == 0)
        }
        try site.succeed("chatelaine", ["lock"])
        #expect(try site.listed() == ["kept", "kept"])
        #expect(try server.logIn().output == "welcome\n", "\(site.log)\(server.log)")
    }

    @Test func `what ssh-add adds with a certificate ends with the agent, as its key does`() throws {
        try site.makeKey("added")
        try certify("added")
        try site.succeed("ssh-add", ["-q", "added"])
        #expect(try kinds() == ["(ED25519)", "(ED25519-CERT)"])
        try site.restart()
        #expect(try kinds() == [])
    }
}
