import ArgumentParser
import CoreFoundationAliases
import Foundation
import Security
import Terminal

struct VerifyCertificate: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-cert",
        abstract: "Say whether a certificate is trusted.",
        discussion: """
            Ends with 0 if it is, and with 1 if it is not.

            EXAMPLES
              A server's, with what its server sends besides:
                security verify-cert -c server.pem -c intermediate.pem -p ssl -s example.com
              By an authority of your own:
                security verify-cert -c server.pem -r authority.pem
            """
    )

    static let syntax = OptionSyntax(
        flags: ["l", "leaf-is-authority", "L", "local", "q", "quiet", "C", "N"],
        valued: [
            "c", "certificate", "r", "root", "p", "policy", "s", "n", "name", "e", "email", "d", "date", "k",
            "keychain",
        ]
    )

    @Option(name: [.customShort("c"), .long], help: "A file with the certificate; others lead from it to a root.")
    var certificate: [String] = []

    @Option(
        name: [.customShort("r"), .long],
        help: "A file with a root. Only the roots that you give count then."
    )
    var root: [String] = []

    @Option(name: .shortAndLong, help: "The policy: basic, ssl, ssl-client, smime, codeSign, …")
    var policy = PolicyName.basic

    @Option(name: [.customShort("s"), .customShort("n"), .long], help: "The host.")
    var name: String?

    @Option(name: .shortAndLong, help: "The e-mail address.")
    var email: String?

    @Option(name: .shortAndLong, help: "When: YYYY-MM-DD-hh:mm:ss, or a part of it from the left, in UTC.")
    var date: String?

    @Flag(name: [.customShort("l"), .long], help: "No effect: an authority's certificate is checked like any other.")
    var leafIsAuthority = false

    @Flag(name: [.customShort("L"), .long], help: "No effect: nothing is ever fetched.")
    var local = false

    @Flag(name: .shortAndLong, help: "Print nothing.")
    var quiet = false

    @Flag(name: .customShort("C"), help: "With the policy ssl: as a client's certificate.")
    var client = false

    @Flag(name: .customShort("N"), help: "No effect; accepted for scripts from a Mac.")
    var noKeychains = false

    @Option(name: .shortAndLong, help: "No effect; accepted for scripts from a Mac.")
    var keychain: String?

    func validate() throws {
        guard !certificate.isEmpty else { throw ValidationError("A certificate (-c) is needed.") }
    }

    func run() throws {
        let certificates = try Self.certificates(in: certificate)
        let isClient = client && [.ssl, .sslServer].contains(policy)
        guard let policy = (isClient ? .sslClient : policy).policy(name: name ?? email) else {
            throw Failure("there is no such policy here")
        }
        var trust: SecTrust?
        let status = unsafe SecTrustCreateWithCertificates(certificates as NSArray, policy, &trust)
        guard status == errSecSuccess, let trust else { throw Failure(.verify, status) }
        if !root.isEmpty { SecTrustSetAnchorCertificates(trust, try Self.certificates(in: root) as NSArray) }
        if let date {
            guard let moment = Self.moment(date) else {
                throw Failure("-d takes a date such as 2026-01-31-12:00:00", exitStatus: Console.usageStatus)
            }
            SecTrustSetVerifyDate(trust, moment as NSDate)
        }
        guard let reason = TrustRefusal(trust).reason else {
            if !quiet { try Console.print("...certificate verification successful.\n") }
            return
        }
        if !quiet { Console.printError("Cert Verify Result: \(reason)\n") }
        throw Failure("")
    }

    private static func certificates(in paths: [String]) throws(Failure) -> [SecCertificate] {
        var certificates: [SecCertificate] = []
        for path in paths {
            var items: CFArray?
            let data = try FileContents.read(path)
            let status = unsafe SecItemImport(data as CFData, path as NSString, nil, nil, [], nil, nil, &items)
            let found = (items ?? []).compactMap { $0 as? SecCertificate }
            guard status == errSecSuccess, !found.isEmpty else {
                throw Failure("\(TerminalText.escaped(path)): there is no certificate in it")
            }
            certificates += found
        }
        return certificates
    }

    /// - Returns: nil for a text that is no date.
    private static func moment(_ text: String) -> Date? {
        let parts = text.split(whereSeparator: { $0 == "-" || $0 == ":" }).map { Int($0) }
        guard (3...6).contains(parts.count), !parts.contains(nil) else { return nil }
        let numbers = parts.compactMap { $0 } + [0, 0, 0]
        guard (1...9999).contains(numbers[0]), (1...12).contains(numbers[1]), (1...31).contains(numbers[2]),
            (0...23).contains(numbers[3]), (0...59).contains(numbers[4]), (0...60).contains(numbers[5]),
            let zone = TimeZone(identifier: "GMT")
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        return calendar.date(
            from: DateComponents(
                year: numbers[0],
                month: numbers[1],
                day: numbers[2],
                hour: numbers[3],
                minute: numbers[4],
                second: numbers[5]
            )
        )
    }
}
