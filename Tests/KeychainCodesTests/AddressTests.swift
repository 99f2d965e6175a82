import KeychainModel
import Testing

@testable import KeychainCodes

@Suite("Addresses")
struct AddressTests {
    @Test(arguments: [
        // The example of the Key URI Format, and the forms that it allows.
        (
            "otpauth://totp/ACME%20Co:john.doe@email.com?secret=JBSWY3DPEHPK3PXP&issuer=ACME%20Co"
                + "&algorithm=SHA1&digits=6&period=30", "SHA1 6 30 ACME Co|john.doe@email.com"
        ),
        (
            "otpauth://totp/Example:alice@google.com?secret=JBSWY3DPEHPK3PXP&issuer=Example",
            "SHA1 6 30 Example|alice@google.com"
        ),
        ("otpauth://totp/Provider1:Alice%20Smith?secret=JBSWY3DPEHPK3PXP", "SHA1 6 30 Provider1|Alice Smith"),
        (
            "otpauth://totp/Big%20Corporation%3A%20alice%40bigco.com?secret=JBSWY3DPEHPK3PXP",
            "SHA1 6 30 Big Corporation|alice@bigco.com"
        ),
        // KeePassXC: an entry without a user name.
        (
            "otpauth://totp/GitHub:none?secret=JBSWY3DPEHPK3PXP&period=60&digits=8&issuer=GitHub&algorithm=SHA512",
            "SHA512 8 60 GitHub|none"
        ),
        // Without a label, as KeePassOTP writes it.
        ("otpauth://totp?secret=jbswy3dpehpk3pxp", "SHA1 6 30 |"),
        ("otpauth://totp/?secret=JBSWY3DPEHPK3PXP&issuer=Site", "SHA1 6 30 Site|"),
        // Case, unknown parameters, empty ones, a fragment, a spaced and padded secret.
        (
            "OTPAUTH://TOTP/me?Secret=JBSWY3DPEHPK3PXP&Digits=7&image=https%3A%2F%2Fx.example%2Fi.png&lock=false",
            "SHA1 7 30 |me"
        ),
        (
            "otpauth://totp/me?digits=&secret=JBSW%20Y3DP%20EHPK%203PXP%3D%3D&period=&algorithm=&issuer=#digits=8",
            "SHA1 6 30 |me"
        ),
        ("apple-otpauth://totp/Site:me?secret=JBSWY3DPEHPK3PXP&issuer=Site", "SHA1 6 30 Site|me"),
        ("otpauth://totp/me?secret=JBSWY3DPEHPK3PXP&algorithm=HmacSHA256", "SHA256 6 30 |me"),
        ("otpauth://totp/me?secret=JBSWY3DPEHPK3PXP&algorithm=hmac-sha-512", "SHA512 6 30 |me"),
        ("otpauth://totp/me?secret=JBSWY3DPEHPK3PXP&algorithm=sha-1&digits=06&period=3600", "SHA1 6 3600 |me"),
        // The parameter counts, and nothing of the label is lost.
        ("otpauth://totp/github:me?secret=JBSWY3DPEHPK3PXP&issuer=GitHub", "SHA1 6 30 GitHub|me"),
        ("otpauth://totp/host:8080?secret=JBSWY3DPEHPK3PXP&issuer=Router", "SHA1 6 30 Router|host:8080"),
        ("otpauth://totp/A%3AB:me?secret=JBSWY3DPEHPK3PXP&issuer=A%3AB", "SHA1 6 30 A:B|me"),
        // Characters that are not percent-encoded as they should be.
        ("otpauth://totp/100%:a/b#1?secret=JBSWY3DPEHPK3PXP&issuer=100%", "SHA1 6 30 100%|a/b#1"),
        ("otpauth://totp/Google+:me?secret=JBSWY3DPEHPK3PXP&issuer=Google+", "SHA1 6 30 Google+|me"),
        ("otpauth://totp/%C3%9Cber%20%F0%9F%94%91:z%C3%BCrich?secret=JBSWY3DPEHPK3PXP", "SHA1 6 30 Über 🔑|zürich"),
        ("otpauth://totp/caf%E9?secret=JBSWY3DPEHPK3PXP", "SHA1 6 30 |caf\u{FFFD}"),
    ])
    func `an address is read`(text: String, settings: String) throws {
        let code = try OneTimeCode(uri: text.utf8)
        #expect(code.settings == settings)
        #expect(code.secret.bytes == exampleBytes)
    }

    @Test func `an address is written in one form, with all that codes depend on`() throws {
        let code = try OneTimeCode(
            secret: SecretBytes(exampleBytes),
            algorithm: .sha256,
            digits: 8,
            period: 60,
            issuer: "ACME & Co: 100%+",
            account: "john.doe@email.com"
        )
        let label = "ACME%20%26%20Co%3A%20100%25%2B"
        #expect(
            code.address == "otpauth://totp/\(label):john.doe@email.com?secret=JBSWY3DPEHPK3PXP&issuer=\(label)"
                + "&algorithm=SHA256&digits=8&period=60"
        )
        let bare = "otpauth://totp/?secret=JBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30"
        #expect(try OneTimeCode("jbsw y3dp-ehpk 3pxp").address == bare)
        #expect(try OneTimeCode(stored: SecretBytes(bare.utf8)).address == bare)
    }

    @Test(arguments: [
        ("", "a:b"), ("", ":"), ("", "::"), ("a", ""), ("a", "a"), ("a", "a:"), ("a", ":a"), ("a:b", "a"), (":", ":"),
        ("", ""), ("a:", "b"), ("A", "a:b"), ("%41", "%3A"), ("e\u{301}", "\u{301}"), ("a", "A:x"),
        ("\u{0}", "\n\u{0}"),
    ])
    func `an issuer and an account come back from an address, whatever colons they have`(labels: (String, String))
        throws
    {
        let (issuer, account) = labels
        let code = try OneTimeCode(secret: SecretBytes(exampleBytes), issuer: issuer, account: account)
        let read = try OneTimeCode(stored: code.uri)
        #expect(Array(read.issuer.utf8) == Array(code.issuer.utf8))
        #expect(Array(read.account.utf8) == Array(code.account.utf8))
        #expect(read.address == code.address)
    }

    @Test func `two thousand random codes come back from their addresses`() throws {
        var random = SeededGenerator(seed: 6238)
        var algorithms: Set<CodeAlgorithm> = []
        for round in 0..<2_000 {
            let code = try OneTimeCode(
                secret: SecretBytes(random.bytes(.random(in: 1...128, using: &random))),
                algorithm: CodeAlgorithm.allCases.randomElement(using: &random) ?? .sha1,
                digits: .random(in: 6...8, using: &random),
                period: .random(in: 1...3_600, using: &random),
                issuer: Self.label(&random),
                account: Self.label(&random)
            )
            let stored = code.uri
            let read = try OneTimeCode(stored: stored)
            try #require(read.makesSameCodes(as: code) && read.secret.bytes == code.secret.bytes, "round \(round)")
            try #require(Array(read.settings.utf8) == Array(code.settings.utf8), "round \(round)")
            try #require(read.uri.isEqual(to: stored), "round \(round)")
            // Others may cut at the first of these characters, which have to be encoded.
            try #require(stored.bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "round \(round)")
            algorithms.insert(read.algorithm)
        }
        #expect(algorithms.count == 3)
    }

    private static let scalars = Array("ab:%&=?#/+@ \u{A0}\t-._~;éß\u{301}語🔑\u{0}\u{7F}\"<>\\^`{|}".unicodeScalars)

    private static func label(_ random: inout SeededGenerator) -> String {
        var label = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            if let scalar = scalars.randomElement(using: &random) { label.append(scalar) }
        }
        return String(label)
    }
}
