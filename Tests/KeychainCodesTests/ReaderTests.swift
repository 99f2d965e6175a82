import KeychainModel
import Testing

@testable import KeychainCodes

@Suite("What other programs write")
struct ReaderTests {
    @Test(arguments: [
        "JBSWY3DPEHPK3PXP", "jbsw y3dp ehpk 3pxp", "JBSW-Y3DP-EHPK-3PXP", " jbswy3dpehpk3pxp\r\n",
        "JBSWY3DPEHPK3PXP====",
        "JBSW\u{A0}Y3DP\u{A0}EHPK\u{A0}3PXP", "JBSW Y3DP EHPK 3PXP =\t=",
    ])
    func `a bare secret is read as sites show it`(text: String) throws {
        let code = try OneTimeCode(text)
        #expect(code.secret.bytes == exampleBytes)
        #expect(code.settings == "SHA1 6 30 |")
    }

    /// RFC 4648, section 10.
    @Test(arguments: [
        ("MY======", "f"), ("MZXQ====", "fo"), ("MZXW6===", "foo"), ("MZXW6YQ=", "foob"), ("MZXW6YTB", "fooba"),
        ("MZXW6YTBOI======", "foobar"),
    ])
    func `Base32 is read and written as RFC 4648 has it`(text: String, plain: String) throws {
        #expect(try Base32.decode(text.utf8).text == plain)
        #expect(try Base32.decode(text.lowercased().filter { $0 != "=" }.utf8).text == plain)
        let address = try OneTimeCode(secret: SecretBytes(plain.utf8)).address
        #expect(address.contains("?secret=\(text.filter { $0 != "=" })&"))
    }

    @Test func `bits that make no whole byte are dropped, as sites that choose characters at random need`() throws {
        for (text, count) in [("MZ", 1), ("MZX", 1), ("MZXW6YTBA", 5), ("MZXW6YTBAAA", 6), ("MZXW6Y", 3)] {
            #expect(try Base32.decode(text.utf8).count == count)
        }
        #expect(try OneTimeCode("key").secret.count == 1)
        #expect(try Base32.decode("MZ".utf8).text == "f")
        #expect(try Base32.decode("MZXW6YTB7".utf8).text == "fooba")
    }

    @Test(arguments: [
        ("otpauth://totp/GitHub:me?secret=JBSWY3DPEHPK3PXP&period=30&digits=6&issuer=GitHub", "SHA1 6 30 GitHub|me"),
        ("key=JBSWY3DPEHPK3PXP&step=60&size=8", "SHA1 8 60 |"),
        ("key=jbswy3dpehpk3pxp%3d%3d&size=7&otpHashMode=SHA256", "SHA256 7 30 |"),
        ("key=JBSWY3DPEHPK3PXP====", "SHA1 6 30 |"),
        ("type=Totp&key=48656c6c6f21deadbeef&encoding=Hex&otpHashMode=Sha512", "SHA512 6 30 |"),
        ("key=SGVsbG8h3q2+7w==&encoding=Base64", "SHA1 6 30 |"),
        ("key=SGVsbG8h3q2-7w&encoding=base64", "SHA1 6 30 |"),
    ])
    func `KeePassXC's attribute is read, also in the older form`(otp: String, settings: String) throws {
        let code = try #require(try OneTimeCode(keePassFields: ["otp": otp, "Title": "GitHub"]))
        #expect(code.secret.bytes == exampleBytes)
        #expect(code.settings == settings)
    }

    @Test(arguments: [
        ["TimeOtp-Secret-Base32": "JBSW Y3DP EHPK 3PXP"],
        ["TimeOtp-Secret-Hex": "48656C6C6F21DEADBEEF"],
        ["TimeOtp-Secret-Hex": "48 65 6c 6c 6f 21 de ad be ef"],
        ["TimeOtp-Secret-Base64": "SGVsbG8h3q2+7w=="],
        ["TOTP Seed": "JBSWY3DPEHPK3PXP"],
        ["TOTP Seed": "JBSWY3DPEHPK3PXP", "TOTP Settings": "30;6"],
        ["TOTP Seed": "JBSWY3DPEHPK3PXP", "TOTP Settings": "30;6;https://time.example.org"],
        ["TimeOtp-Secret-Base32": "JBSWY3DPEHPK3PXP", "TimeOtp-Secret": "", "otp": ""],
        // The first that is there counts.
        ["otp": "JBSWY3DPEHPK3PXP", "TimeOtp-Secret-Base32": "AAAAAAAA", "TOTP Seed": "AAAAAAAA"],
        ["TimeOtp-Secret-Hex": "48656C6C6F21DEADBEEF", "TimeOtp-Secret-Base32": "AAAAAAAA", "TOTP Seed": "AAAAAAAA"],
        ["TimeOtp-Secret-Base32": "JBSWY3DPEHPK3PXP", "HmacOtp-Secret-Base32": "AAAAAAAA"],
    ])
    func `KeePass's fields and those of its plugins are read`(fields: [String: String]) throws {
        let code = try #require(try OneTimeCode(keePassFields: fields))
        #expect(code.secret.bytes == exampleBytes)
        #expect(code.settings == "SHA1 6 30 |")
    }

    @Test func `KeePass's settings and those of its plugins are read`() throws {
        let fields = [
            "TimeOtp-Secret": "hello", "TimeOtp-Algorithm": "HMAC-SHA-256", "TimeOtp-Length": "8",
            "TimeOtp-Period": "60",
        ]
        let code = try #require(try OneTimeCode(keePassFields: fields))
        #expect(code.secret.text == "hello")
        #expect(code.settings == "SHA256 8 60 |")
        let tray = ["TOTP Seed": "JBSWY3DPEHPK3PXP", "TOTP Settings": "45;8"]
        #expect(try OneTimeCode(keePassFields: tray)?.settings == "SHA1 8 45 |")
        #expect(try OneTimeCode(keePassFields: ["TimeOtp-Secret": "hello"])?.code(at: 1_700_000_000).digits == "593088")
    }

    @Test func `an entry without a code has none`() throws {
        #expect(try OneTimeCode(keePassFields: [:]) == nil)
        #expect(
            try OneTimeCode(keePassFields: ["Title": "x", "otp": "", "TimeOtp-Length": "6", "TOTP Settings": "30;6"])
                == nil
        )
    }

    @Test func `every field that is read is named, so that an import can say what it has not taken`() throws {
        for field in ["otp", "TOTP Seed", "TimeOtp-Secret", "TimeOtp-Secret-Hex", "TimeOtp-Secret-Base64"] {
            #expect(try OneTimeCode(keePassFields: [field: "ABCDEFAB"]) != nil)
            #expect(OneTimeCode.keePassFields.contains(field))
        }
        #expect(OneTimeCode.keePassFields.count == 10)
        #expect(!OneTimeCode.keePassFields.contains("HmacOtp-Secret"))
    }

    @Test(arguments: [
        ("otpauth://totp/Site:me?secret=JBSWY3DPEHPK3PXP&issuer=Site", "SHA1 6 30 Site|me"),
        ("JBSWY3DPEHPK3PXP", "SHA1 6 30 |"), ("jbsw y3dp ehpk 3pxp", "SHA1 6 30 |"),
    ])
    func `Bitwarden's field is read`(text: String, settings: String) throws {
        let code = try OneTimeCode(text)
        #expect(code.secret.bytes == exampleBytes)
        #expect(code.settings == settings)
    }
}
