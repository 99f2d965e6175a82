import ArgumentParser
import CoreFoundationAliases
import Foundation
import KeychainModel
import Security
import Terminal

struct FindIdentity: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "find-identity",
        abstract: "Find identities: certificates with their private keys.",
        discussion: """
            Prints each with the SHA-1 of its certificate: those that match, and those of them that are valid for the \
            policy. Nobody is asked for their keys.

            EXAMPLES
              What can sign code:
                security find-identity -v -p codesigning
            """
    )

    static let syntax =
        ScopeOptions.syntax + OptionSyntax(flags: ["v", "valid"], valued: ["p", "policy", "s", "policy-string"])

    @Flag(name: [.customShort("v"), .customLong("valid")], help: "Only valid ones.")
    var onlyValid = false

    @Option(
        name: .shortAndLong,
        help: "The policy: basic, ssl-client, ssl-server, smime, codesigning, …"
    )
    var policy = PolicyName.basic

    @Option(name: [.customShort("s"), .long], help: "The host or e-mail address of the policy.")
    var policyString: String?

    @OptionGroup(title: "Beyond macOS") var scope: ScopeOptions
    @OptionGroup var files: KeychainArguments

    func run() throws {
        try files.check()
        // By attributes, which bring the certificate: the key itself is not touched.
        let search = ItemSearch(.identity, [kSecAttrKeyClass: kSecAttrKeyClassPrivate], in: scope)
        var lines: [(text: String, reason: String?)] = []
        for item in try search.all() {
            guard let data = item.attributes["certdata"] as? Data else { continue }
            let text = CertificateText(der: data)
            guard let certificate = text.certificate else { continue }
            lines.append(("\(text.sha1) \"\(text.summary)\"", try reason(certificate)))
        }
        let valid = lines.filter { $0.reason == nil }
        if onlyValid { return try Console.print(Self.list(valid, "valid identities")) }
        try Console.print(
            """

            Policy: \(policy.title)
              Matching identities
            \(Self.list(lines, "identities"))
              Valid identities only
            \(Self.list(valid, "valid identities"))
            """
        )
    }

    private func reason(_ certificate: SecCertificate) throws(Failure) -> String? {
        guard let policy = policy.policy(name: policyString) else {
            throw Failure("there is no such policy here")
        }
        var trust: SecTrust?
        let status = unsafe SecTrustCreateWithCertificates(certificate, policy, &trust)
        guard status == errSecSuccess, let trust else { throw Failure(.search, status) }
        return TrustVerdict(trust).reason
    }

    private static func list(_ lines: [(text: String, reason: String?)], _ what: String) -> String {
        let numbered = lines.enumerated().map { index, line in
            "  \(index + 1)) \(line.text)" + (line.reason.map { " (\($0))" } ?? "") + "\n"
        }
        return numbered.joined() + "     \(lines.count) \(what) found\n"
    }
}
