import KeychainModel
import Testing

@testable import KeychainCodes

@Suite("Codes")
struct CodeTests {
    /// RFC 6238, appendix B: the secret is as long as the function's output.
    static let vectors: [(time: Double, codes: [CodeAlgorithm: String])] = [
        (59, [.sha1: "94287082", .sha256: "46119246", .sha512: "90693936"]),
        (1_111_111_109, [.sha1: "07081804", .sha256: "68084774", .sha512: "25091201"]),
        (1_111_111_111, [.sha1: "14050471", .sha256: "67062674", .sha512: "99943326"]),
        (1_234_567_890, [.sha1: "89005924", .sha256: "91819424", .sha512: "93441116"]),
        (2_000_000_000, [.sha1: "69279037", .sha256: "90698825", .sha512: "38618901"]),
        (20_000_000_000, [.sha1: "65353130", .sha256: "77737706", .sha512: "47863826"]),
    ]

    private func seed(_ count: Int) -> SecretBytes {
        SecretBytes((0..<count).map { UInt8(ascii: "0") + UInt8(($0 + 1) % 10) })
    }

    @Test(arguments: zip(CodeAlgorithm.allCases, [20, 32, 64]))
    func `the codes of RFC 6238 are made`(algorithm: CodeAlgorithm, length: Int) throws {
        let code = try OneTimeCode(secret: seed(length), algorithm: algorithm, digits: 8)
        for vector in Self.vectors {
            #expect(code.code(at: vector.time).digits == vector.codes[algorithm], "at \(vector.time)")
        }
    }

    @Test func `the numbers of RFC 4226 are made, and their last six digits`() {
        let numbers: [UInt32] = [
            1_284_755_224, 1_094_287_082, 137_359_152, 1_726_969_429, 1_640_338_314, 868_254_676, 1_918_287_922,
            82_162_583, 673_399_871, 645_520_489,
        ]
        let codes = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
        ]
        for (counter, (number, code)) in zip(numbers, codes).enumerated() {
            #expect(CounterCode.number(seed(20), .sha1, counter: UInt64(counter)) == number)
            #expect(CounterCode.digits(seed(20), .sha1, counter: UInt64(counter), count: 6) == code)
        }
    }

    @Test func `codes have their own number of digits and their own period`() throws {
        let bytes = SecretBytes(exampleBytes)
        // Computed with Python's hmac.
        #expect(try OneTimeCode(secret: bytes).code(at: 1_700_000_000).digits == "324550")
        let slow = try OneTimeCode(secret: bytes, algorithm: .sha256, digits: 8, period: 60)
        #expect(slow.code(at: 1_700_000_000).digits == "71205722")
        let odd = try OneTimeCode(secret: bytes, algorithm: .sha512, digits: 7)
        #expect(odd.code(at: 1_700_000_000).digits == "4045688")
        let every = try OneTimeCode(secret: bytes, period: 1)
        #expect(every.code(at: 0x1p53).digits == "014749")
    }

    @Test func `a code lasts to the end of its period`() throws {
        let code = try OneTimeCode(example)
        let moments: [(Double, String, Int)] = [
            (0, "282760", 30), (0.5, "282760", 30), (1, "282760", 29), (29, "282760", 1), (29.999, "282760", 1),
            (30, "996554", 30), (59.999, "996554", 1), (60, "602287", 30),
        ]
        for (time, digits, left) in moments {
            let now = code.code(at: time)
            #expect(now.digits == digits && now.secondsLeft == left && now.period == 30, "at \(time)")
        }
        let second = try OneTimeCode(secret: SecretBytes(exampleBytes), period: 1)
        #expect(second.code(at: 7.5).secondsLeft == 1)
        let hour = try OneTimeCode(secret: SecretBytes(exampleBytes), period: 3_600)
        #expect(hour.code(at: 3_599).secondsLeft == 1 && hour.code(at: 3_600).secondsLeft == 3_600)
    }

    @Test(arguments: [
        -0.0, -1, -29, -30, -1e300, -.infinity, .nan, -.nan, .signalingNaN, .leastNonzeroMagnitude,
        -.leastNonzeroMagnitude,
    ])
    func `a time before 1970, and one that is no number, count as 1970`(time: Double) throws {
        let now = try OneTimeCode(example).code(at: time)
        #expect(now.digits == "282760")
        #expect(now.secondsLeft == 30)
    }

    @Test(arguments: [0x1p53, 0x1p63, 0x1p64, 1e300, .greatestFiniteMagnitude, .infinity])
    func `time stands still where seconds are no longer told apart`(time: Double) throws {
        let now = try OneTimeCode(example).code(at: time)
        #expect(now.digits == "406885")
        #expect(now.secondsLeft == 28)
        // The control: a second before, it has not stopped.
        #expect(try OneTimeCode(example).code(at: 0x1p53 - 1).secondsLeft == 29)
    }

    @Test func `digits are shown to people in two groups`() throws {
        let groups = try [6, 7, 8].map { digits in
            try OneTimeCode(secret: SecretBytes(exampleBytes), digits: digits).code(at: 0).grouped
        }
        #expect(groups.map(\.count) == [7, 8, 9])
        #expect(groups[0] == "282 760")
        #expect(groups.map { $0.split(separator: " ").map(\.count) } == [[3, 3], [3, 4], [4, 4]])
        #expect(groups.allSatisfy { $0.filter { $0 != " " }.hasSuffix("282760") })
    }

    @Test func `neither a secret nor a code is printed`() throws {
        let code = try OneTimeCode("otpauth://totp/Site:me?secret=\(example)")
        var printed = ""
        dump(code, to: &printed)
        dump(code.code(at: 0), to: &printed)
        dump([code.secret], to: &printed)
        printed += "\(code) \(code.code(at: 0)) \(String(reflecting: code)) \(String(reflecting: code.code(at: 0)))"
        for secret in [example, "Hello", "72, 101", "282760", "Site"] { #expect(!printed.contains(secret)) }
        #expect(printed.contains("[REDACTED]"))
    }

    @Test func `codes are the same if they make the same digits, whatever they are called`() throws {
        let code = try OneTimeCode(example)
        func isSame(_ text: String) throws -> Bool { try code.makesSameCodes(as: OneTimeCode(text)) }
        #expect(try isSame("otpauth://totp/x:y?secret=\(example)"))
        for other in ["&digits=7", "&period=31", "&algorithm=SHA256"] {
            #expect(try !isSame("otpauth://totp/x:y?secret=\(example)\(other)"))
        }
        #expect(try !isSame("JBSWY3DPEHPK3PXQ"))
        #expect(try !isSame("JBSWY3DPEHPK3"))
    }
}
