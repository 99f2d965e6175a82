import KeychainModel
import Testing

@testable import KeychainCodes

@Suite("What is refused")
struct RefusalTests {
    private static let address = "otpauth://totp/a?secret=\(example)"
    /// 128 bytes and 129.
    private static let longest = String(repeating: "A", count: 205)
    private static let tooLong = String(repeating: "A", count: 207)
    private static let label = String(repeating: "x", count: 256)

    private static let texts: [(String, CodeFailure)] = [
        ("", .noSecret), (" \n\t", .noSecret), ("=", .noSecret), ("====", .noSecret), ("A", .noSecret),
        ("-", .noSecret),
        ("JBSWY3DPEHPK3PX0", .notBase32), ("JBSWY3DPEHPK3PX1", .notBase32), ("JBSWY3DPEHPK3PX8", .notBase32),
        ("JBSW=Y3DP", .notBase32), ("JBSW_Y3DP", .notBase32), ("JBSWY3DPÄ", .notBase32), ("JBSWY3DP\u{0}", .notBase32),
        ("JBSWY3DP\u{200B}", .notBase32), ("JBSWÂY3DP", .notBase32), (tooLong, .secretTooLong),
        ("otpauth://totp/a", .noSecret), ("otpauth://totp/a?secret=", .noSecret),
        ("otpauth://totp/a?secret=A", .noSecret),
        ("otpauth://totp/a#?x?secret", .noSecret), ("otpauth://totp/a?secret=\(tooLong)", .secretTooLong),
        ("otpauth://totp/a?secret=JBSW%00", .notBase32), ("otpauth://totp/a?secret=JBSW%", .notBase32),
        ("otpauth://totp/a?secret=JBSW+Y3DP", .notBase32),
        ("otpauth://hotp/a?secret=\(example)&counter=1", .counterBased),
        ("otpauth://HOTP/a?secret=\(example)&counter=1", .counterBased),
        ("otpauth://steam/a?secret=\(example)", .steam), ("steam://\(example)", .steam), ("StEam://\(example)", .steam),
        ("\(address)&encoder=steam&digits=5", .steam), ("\(address)&issuer=Steam&encoder=Steam", .steam),
        ("otpauth://motp/a?secret=\(example)", .otherType), ("otpauth:///a?secret=\(example)", .otherType),
        ("otpauth://", .otherType), ("otpauth://totpx/a?secret=\(example)", .otherType),
        ("otpauth-migration://offline?data=CiEKCkhlbGxv", .severalCodes),
        ("https://example.org/?secret=\(example)", .otherAddress), ("otpauth:totp/a?secret=\(example)", .otherAddress),
        (":", .otherAddress), ("javascript:alert(1)", .otherAddress), ("\(example):", .otherAddress),
        ("\(address)&secret=\(example)", .repeatedParameter), ("\(address)&SECRET=", .repeatedParameter),
        ("\(address)&digits=6&digits=8", .repeatedParameter), ("\(address)&issuer=a&issuer=a", .repeatedParameter),
        ("\(address)&algorithm=MD5", .otherAlgorithm), ("\(address)&algorithm=SHA224", .otherAlgorithm),
        ("\(address)&algorithm=HMAC", .otherAlgorithm), ("\(address)&algorithm=%FF", .otherAlgorithm),
        ("\(address)&digits=5", .digitsOutOfRange), ("\(address)&digits=9", .digitsOutOfRange),
        ("\(address)&digits=0", .digitsOutOfRange), ("\(address)&digits=-6", .digitsOutOfRange),
        ("\(address)&digits=+6", .digitsOutOfRange), ("\(address)&digits=6.0", .digitsOutOfRange),
        ("\(address)&digits=six", .digitsOutOfRange), ("\(address)&digits=18446744073709551622", .digitsOutOfRange),
        ("\(address)&digits=٦", .digitsOutOfRange), ("\(address)&digits=%206", .digitsOutOfRange),
        ("\(address)&period=0", .periodOutOfRange), ("\(address)&period=3601", .periodOutOfRange),
        ("\(address)&period=-1", .periodOutOfRange), ("\(address)&period=99999999999999999999", .periodOutOfRange),
        ("\(address)&period=30s", .periodOutOfRange),
        ("otpauth://totp/\(label)y?secret=\(example)", .labelTooLong),
        ("\(address)&issuer=\(label)y", .labelTooLong),
        ("\(address)&x=\(String(repeating: "y", count: 8_192))", .textTooLong),
        (String(repeating: " ", count: 8_192) + example, .textTooLong),
        ("key=\(example)&type=Hotp&counter=3", .counterBased), ("key=\(example)&type=Steam", .steam),
        ("key=\(example)&type=Other", .otherType), ("key=\(example)&encoding=Base58", .otherEncoding),
        ("key=\(example)&size=9", .digitsOutOfRange), ("key=\(example)&step=0", .periodOutOfRange),
        ("key=\(example)&otpHashMode=MD5", .otherAlgorithm), ("key=0189", .notBase32),
        ("key=\(example)&key=\(example)", .repeatedParameter), ("key=", .noSecret), ("KEY=====", .noSecret),
        ("key=&step=30", .noSecret), ("step=30&size=6", .notBase32),
        ("key=xyz&encoding=Hex", .notHexadecimal), ("key=ABC&encoding=Hex", .notHexadecimal),
        ("key=AB*=&encoding=Base64", .notBase64), ("key=A&encoding=Base64", .notBase64),
        ("key=AB&encoding=Base64", .notBase64), ("key=AA===&encoding=Base64", .notBase64),
        ("key=A=AA&encoding=Base64", .notBase64), ("key==&encoding=Base64", .noSecret),
    ]

    @Test(arguments: texts)
    func `a text that is no code of ours is refused, and the error says why`(text: String, failure: CodeFailure) {
        #expect(throws: failure) { try OneTimeCode(text) }
    }

    @Test(arguments: [
        (["otp": "nonsense!"], CodeFailure.notBase32), (["otp": "steam://\(example)"], .steam),
        (["otp": "otpauth://hotp/a?secret=\(example)"], .counterBased),
        (["otp": "!", "TimeOtp-Secret-Base32": example], .notBase32),
        (["TimeOtp-Secret-Base32": "!"], .notBase32), (["TimeOtp-Secret-Base64": "!"], .notBase64),
        (["TimeOtp-Secret-Hex": "123"], .notHexadecimal), (["TimeOtp-Secret-Hex": " "], .noSecret),
        (["TimeOtp-Secret-Hex": String(repeating: "00", count: 129)], .secretTooLong),
        (["TimeOtp-Secret-Base64": String(repeating: "A", count: 172)], .secretTooLong),
        (["TimeOtp-Secret": String(repeating: "x", count: 129)], .secretTooLong),
        (["TimeOtp-Secret-Base32": example, "TimeOtp-Algorithm": "HMAC-MD5"], .otherAlgorithm),
        (["TimeOtp-Secret-Base32": example, "TimeOtp-Length": "10"], .digitsOutOfRange),
        (["TimeOtp-Secret-Base32": example, "TimeOtp-Period": "86400"], .periodOutOfRange),
        (["TOTP Seed": "0"], .notBase32), (["TOTP Seed": example, "TOTP Settings": "30;S"], .steam),
        (["TOTP Seed": example, "TOTP Settings": "30;10"], .digitsOutOfRange),
        (["TOTP Seed": example, "TOTP Settings": "x;6"], .periodOutOfRange),
        (["HmacOtp-Secret-Base32": example, "HmacOtp-Counter": "3"], .counterBased),
    ])
    func `a field of KeePass that is no code of ours is refused`(fields: [String: String], failure: CodeFailure) {
        #expect(throws: failure) { _ = try OneTimeCode(keePassFields: fields) }
    }

    @Test func `what is stored is an address, and no longer than one that is read`() throws {
        let padding = String(repeating: "y", count: 8_192)
        #expect(throws: CodeFailure.textTooLong) { try OneTimeCode(uri: "\(Self.address)&x=\(padding)".utf8) }
        for text in [example, "key=\(example)", "", " \(Self.address)"] {
            #expect(throws: CodeFailure.otherAddress) { try OneTimeCode(stored: SecretBytes(text.utf8)) }
        }
        #expect(try OneTimeCode(stored: SecretBytes(Self.address.utf8)).account == "a")
    }

    @Test func `a code out of range is not made`() throws {
        func make(_ count: Int = 10, digits: Int = 6, period: Int = 30, issuer: String = "", account: String = "")
            throws
        {
            _ = try OneTimeCode(
                secret: SecretBytes([UInt8](repeating: 1, count: count)),
                digits: digits,
                period: period,
                issuer: issuer,
                account: account
            )
        }
        #expect(throws: CodeFailure.noSecret) { try make(0) }
        #expect(throws: CodeFailure.secretTooLong) { try make(129) }
        for digits in [.min, -6, 0, 5, 9, .max] {
            #expect(throws: CodeFailure.digitsOutOfRange) { try make(digits: digits) }
        }
        for period in [.min, -30, 0, 3_601, .max] {
            #expect(throws: CodeFailure.periodOutOfRange) { try make(period: period) }
        }
        #expect(throws: CodeFailure.labelTooLong) { try make(issuer: Self.label + "y") }
        #expect(throws: CodeFailure.labelTooLong) { try make(account: Self.label + "y") }
    }

    /// The controls of the limits above.
    @Test func `what just fits is taken, and is written in less than half of what is read`() throws {
        #expect(try OneTimeCode(Self.longest).secret.count == 128)
        #expect(
            try OneTimeCode(keePassFields: ["TimeOtp-Secret-Hex": String(repeating: "00", count: 128)])?.secret.count
                == 128
        )
        #expect(try OneTimeCode("\(Self.address)&x=\(String(repeating: "y", count: 8_000))").digits == 6)
        #expect(try OneTimeCode(Self.address).secret.bytes == exampleBytes)
        let label = String(repeating: "語", count: 85)
        let code = try OneTimeCode(
            secret: SecretBytes([UInt8](repeating: 0xFF, count: 128)),
            algorithm: .sha512,
            digits: 8,
            period: 3_600,
            issuer: label,
            account: label
        )
        #expect(code.uri.count < OneTimeCode.longestText / 2)
        #expect(try OneTimeCode(stored: code.uri).account == label)
    }

    @Test func `every failure occurs here, and has a sentence of its own without the secret`() {
        #expect(Set(Self.texts.map(\.1)) == Set(CodeFailure.allCases))
        let messages = CodeFailure.allCases.map(\.message)
        #expect(Set(messages).count == messages.count)
        for (text, failure) in Self.texts where text.contains(example) {
            #expect(!failure.message.contains(example) && !"\(failure)".contains(example))
        }
    }

    @Test func `ten thousand random texts end no program, and what is read comes back`() throws {
        var random = SeededGenerator(seed: 4226)
        let pieces = [
            "otpauth://", "totp", "hotp", "/", "?", "&", "=", "%", "%3A", ":", "#", "secret=", "issuer=", "digits=",
            "period=",
            "algorithm=", "SHA256", "6", "30", "key=", "step=", "size=", "encoding=", "Hex", "Base64", "steam", "A",
            "7", " ",
            example, "\u{A0}", "語", "\u{301}", ";", "S", "-",
        ].map { Array($0.utf8) }
        var read = 0
        for round in 0..<10_000 {
            var text: [UInt8] = round % 4 == 0 ? [] : Array("otpauth://totp/".utf8)
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                text += Bool.random(using: &random) ? pieces.randomElement(using: &random) ?? [] : random.bytes(1)
            }
            if round % 4 == 1 { text += Array("?secret=\(example)".utf8) }
            if round % 4 == 2 { text = random.bytes(.random(in: 0...300, using: &random)) }
            let field = String(decoding: text, as: UTF8.self)
            for name in OneTimeCode.keePassFields {
                let fields = ["TOTP Seed": example].merging([name: field]) { _, new in new }
                _ = try? OneTimeCode(keePassFields: fields)
            }
            _ = try? OneTimeCode(uri: text)
            guard let code = try? OneTimeCode(text: text) else { continue }
            read += 1
            let again = try OneTimeCode(stored: code.uri)
            try #require(again.makesSameCodes(as: code) && again.uri.isEqual(to: code.uri), "round \(round)")
            try #require(code.code(at: Double(random.next())).digits.count == code.digits, "round \(round)")
        }
        // Else the rounds would try refusals alone.
        #expect(read > 1_000)
    }
}
