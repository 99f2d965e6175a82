import KeychainModel
import PasskeyProtocol
import Testing

@Suite("A passkey as an item has it")
struct PasskeyFormatTests {
    /// The base point of P-256 (FIPS 186-5).
    private static let point =
        "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    private let passkey: Passkey
    private static let secrets = PasskeySecrets(
        key: .scalar(SecretBytes([UInt8](repeating: 1, count: 32))),
        verifiedSeed: SecretBytes([UInt8](repeating: 2, count: 32)),
        unverifiedSeed: SecretBytes([UInt8](repeating: 3, count: 32)),
        blob: [9]
    )

    init() throws {
        passkey = Passkey(
            id: [0xAA, 0xBB],
            site: try RelyingParty("example.com"),
            user: Passkey.User(id: [1, 2], name: "ada", displayName: "Ada"),
            publicKey: cborBytes(Self.point),
            kind: .synchronizable,
            isDiscoverable: true,
            protection: .unlessNamed
        )
    }

    /// What version 1 is, for all versions to come.
    private static let goldenDescription =
        "a800010142010202636164610363416461045841" + point + "050206f50702"
    private static let goldenValue =
        "a50001015820" + String(repeating: "01", count: 32) + "035820" + String(repeating: "02", count: 32) + "045820"
        + String(repeating: "03", count: 32) + "054109"

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test func `version 1 is written as it always was`() {
        #expect(Self.hexadecimal(PasskeyFormat.description(of: passkey)) == Self.goldenDescription)
        let value = PasskeyFormat.value(of: Self.secrets).withUnsafeBytes { Array($0) }
        #expect(Self.hexadecimal(value) == Self.goldenValue)
    }

    @Test func `version 1 is read`() throws {
        let read = PasskeyFormat.passkey(
            site: "example.com",
            id: [0xAA, 0xBB],
            description: cborBytes(Self.goldenDescription)
        )
        #expect(read == passkey)
        let secrets = try #require(PasskeyFormat.secrets(SecretBytes(cborBytes(Self.goldenValue))))
        #expect(secrets.verifiedSeed.isEqual(to: Self.secrets.verifiedSeed))
        #expect(secrets.unverifiedSeed.isEqual(to: Self.secrets.unverifiedSeed))
        #expect(secrets.blob == [9])
        guard case .scalar(let key) = secrets.key else {
            Issue.record("the key is of another kind")
            return
        }
        #expect(key.isEqual(to: SecretBytes([UInt8](repeating: 1, count: 32))))
    }

    @Test func `a later version, and bytes that are cut or changed, are no passkey or another one, and stop nothing`() {
        let later = "a8000201" + Self.goldenDescription.dropFirst(8)
        #expect(PasskeyFormat.passkey(site: "a", id: [1], description: cborBytes(later)) == nil)
        let bytes = cborBytes(Self.goldenDescription)
        for count in bytes.indices {
            #expect(PasskeyFormat.passkey(site: "a", id: [1], description: Array(bytes.prefix(count))) == nil)
        }
        let value = cborBytes(Self.goldenValue)
        for index in value.indices {
            var changed = value
            changed[index] ^= 0x41
            _ = PasskeyFormat.secrets(SecretBytes(changed))
        }
    }

    @Test func `names that no passkey has are none: other devices may have written them`() {
        let bytes = cborBytes(Self.goldenDescription)
        let long = String(repeating: "a", count: 254)
        for site in ["", long, "bank.example\u{200B}"] {
            #expect(PasskeyFormat.passkey(site: site, id: [1], description: bytes) == nil)
        }
        for id in [[], [UInt8](repeating: 1, count: 256)] {
            #expect(PasskeyFormat.passkey(site: "a", id: id, description: bytes) == nil)
        }
        let off = Self.goldenDescription.replacing("51f5050206", with: "51f6050206")
        #expect(PasskeyFormat.passkey(site: "a", id: [1], description: cborBytes(off)) == nil)
    }

    @Test func `a question keeps the end of a long site`() throws {
        let long = "accounts.google.com." + String(repeating: "a", count: 60) + ".evil.example"
        let user = Passkey.User(id: [1], name: "ada", displayName: "")
        let reason = PasskeyQuestion.make(site: try RelyingParty(long), user: user).reason
        #expect(reason.contains("evil.example as ada"), "\(reason)")
        #expect(!reason.contains("google"))
    }

    @Test(arguments: ["”", "”\u{FE0E}", "”\u{0301}", "'\u{200D}", "\"", "`", "″", "❞", "〞", "＂", "״", "ʺ", "’", "»"])
    func `nothing in a name closes its quotation marks`(_ mark: String) throws {
        let user = Passkey.User(id: [1], name: "ada\(mark) for bank.example", displayName: "")
        let reason = PasskeyQuestion.make(site: try RelyingParty("evil.example"), user: user).reason
        #expect(reason.unicodeScalars.count(where: PromptPart.isQuotationMark) == 2, "\(reason)")
        #expect(reason.unicodeScalars.starts(with: "make a passkey for evil.example as “ada".unicodeScalars))
        #expect(reason.hasSuffix(" for bank.example”"), "\(reason)")
    }
}
