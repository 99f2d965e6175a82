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
        help: "The policy: basic, ssl-client, ssl-server, smime, codesigning, …; several are tried one after the other."
    )
    var policy: [PolicyName] = []

    @Option(name: [.customShort("s"), .long], help: "The host or e-mail address of the policy.")
    var policyString: String?

    @OptionGroup(title: "Beyond macOS") var scope: ScopeOptions
    @OptionGroup var files: KeychainArguments

    func run() throws {
        let certificates = try files.search { () throws(Failure) in
            // By attributes, which bring the certificate: the key itself is not touched.
            try ItemSearch(.identity, [kSecAttrKeyClass: kSecAttrKeyClassPrivate], in: scope).all()
                .compactMap { $0.attributes["certdata"] as? Data }
        }
        for policy in policy.isEmpty ? [.basic] : policy { try print(certificates, policy) }
    }

    private func print(_ certificates: [Data], _ policy: PolicyName) throws(Failure) {
        var lines: [(text: String, reason: String?)] = []
        for text in certificates.map({ CertificateText(der: $0) }) {
            guard let certificate = text.certificate else { continue }
            lines.append(("\(text.sha1) \"\(text.summary)\"", try reason(certificate, policy)))
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

    private func reason(_ certificate: SecCertificate, _ policy: PolicyName) throws(Failure) -> String? {
        guard let policy = policy.policy(name: policyString) else {
            throw Failure("there is no such policy here")
        }
        var trust: SecTrust?
        let status = unsafe SecTrustCreateWithCertificates(certificate, policy, &trust)
        guard status == errSecSuccess, let trust else { throw Failure(.search, status) }
        guard let reason = TrustRefusal(trust).reason else { return nil }
        // A Mac says that a certificate has expired before it says that nobody trusts it.
        return certificate.hasExpired ? TrustRefusal.expired : reason
    }

    private static func list(_ lines: [(text: String, reason: String?)], _ what: String) -> String {
        let numbered = lines.enumerated().map { index, line in
            "  \(index + 1)) \(line.text)" + (line.reason.map { " (\($0))" } ?? "") + "\n"
        }
        return numbered.joined() + "     \(lines.count) \(what) found\n"
    }
}
