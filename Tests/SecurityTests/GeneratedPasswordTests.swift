import Foundation
import Security
import Testing

@Suite("Passwords that are made")
struct GeneratedPasswordTests {
    private func make(_ type: PasswordFormat, _ requirements: [String: Any]? = nil) -> (String?, Int?) {
        var error: Unmanaged<CFError>?
        let password = GeneratedPasswords.password(
            type: type.rawValue,
            requirements: requirements as NSDictionary?,
            &error
        )
        return (password as String?, (error?.takeRetainedValue() as NSError?)?.code)
    }

    // MARK: - Formats

    @Test(arguments: PasswordFormat.allCases)
    func `a thousand passwords have the format of their type, and none is there twice`(format: PasswordFormat) throws {
        var all: Set<String> = []
        for _ in 0..<1000 {
            let password = try #require(make(format).0)
            #expect(format.isFormat(of: password), "\(password)")
            let groups = password.split(separator: "-")
            #expect(groups.count == format.numberOfGroups)
            #expect(groups.allSatisfy { $0.count == format.groupSize })
            all.insert(password)
        }
        // There are fewer than ten thousand PINs.
        #expect(format == .pin ? all.count > 500 : all.count == 1000)
    }

    @Test func `every character of the alphabet is as likely as the others`() throws {
        var counts: [Character: Int] = [:]
        for _ in 0..<1000 {
            for character in try #require(make(.iCloudRecovery).0) where character != "-" {
                counts[character, default: 0] += 1
            }
        }
        // 24,000 draws of 32 characters: 750 each, and 27 is one deviation.
        #expect(counts.count == 32)
        #expect(counts.values.allSatisfy { (500...1000).contains($0) }, "\(counts)")
    }

    @Test func `a website's password has a capital letter, a small one and a digit`() throws {
        for _ in 0..<1000 {
            let password = try #require(SecCreateSharedWebCredentialPassword() as String?)
            #expect(PasswordFormat.safari.isFormat(of: password))
            #expect(password.contains(where: \.isUppercase) && password.contains(where: \.isLowercase))
            #expect(password.contains { $0.isNumber })
        }
    }

    @Test func `no PIN is one that is guessed first`() throws {
        for _ in 0..<2000 {
            let pin = try #require(make(.pin).0)
            #expect(Set(pin).count > 2, "\(pin)")
            #expect(!PasswordWeakness.isWeak(pin, isSimple: true), "\(pin)")
        }
    }

    @Test func `one wrong character in a recovery key is found, and so are two that were exchanged`() throws {
        let key = Array(try #require(make(.iCloudRecoveryKey).0))
        for index in key.indices where key[index] != "-" {
            for other in "ABCDEFGHJKLMNPQRSTUVWXYZ23456789" where other != key[index] {
                var wrong = key
                wrong[index] = other
                #expect(!PasswordFormat.iCloudRecoveryKey.isFormat(of: String(wrong)))
            }
            let next = key.indices.contains(index + 1) && key[index + 1] == "-" ? index + 2 : index + 1
            if next < key.count, key[next] != key[index] {
                var exchanged = key
                exchanged.swapAt(index, next)
                #expect(!PasswordFormat.iCloudRecoveryKey.isFormat(of: String(exchanged)))
            }
        }
    }

    @Test(arguments: ["", "-", "abc-abc-abc", "abc-abc-abc-abcd", "ab!-abc-abc-abc", "abc-abc-abc-abc-", "1234"])
    func `what has another format is none`(text: String) {
        #expect(!PasswordFormat.safari.isFormat(of: text))
        var error: Unmanaged<CFError>?
        #expect(!GeneratedPasswords.isFormat(type: 0, of: text as NSString, &error))
        #expect((error?.takeRetainedValue() as NSError?)?.code == Int(errSecParam))
    }

    // MARK: - Requirements

    private var usual: [String: Any] { Self.usual }

    private static let usual: [String: any Sendable] = [
        "PasswordMinLength": 8, "PasswordMaxLength": 30, "PasswordAllowedCharacters": "abcdefXYZ0123!",
        "PasswordRequiredCharacters": ["abcdef", "XYZ", "0123"],
    ]

    @Test func `whatever is demanded is met, or refused at once`() throws {
        var random = SystemRandomNumberGenerator()
        let letters = Array("abcdefXYZ0123!")
        func some(_ count: ClosedRange<Int>) -> String { String(letters.shuffled().prefix(Int.random(in: count))) }
        var made = 0
        for _ in 0..<1500 {
            let least = Int.random(in: 1...24, using: &random)
            let greatest = least + Int.random(in: 0...20)
            let allowed = some(2...14)
            let required = (0..<Int.random(in: 1...4)).map { _ in some(1...6) }
            let counted = some(1...5)
            let (notFirst, notLast, disallowed) = (some(0...3), some(0...3), some(0...2))
            let most = Int.random(in: 0...6)
            let run = Int.random(in: 1...3)
            let requirements: [String: Any] = [
                "PasswordMinLength": least, "PasswordMaxLength": greatest, "PasswordAllowedCharacters": allowed,
                "PasswordRequiredCharacters": required, "PasswordCantStartWithChars": notFirst,
                "PasswordCantEndWithChars": notLast, "PasswordDisallowedCharacters": disallowed,
                "PasswordContainsNoMoreThanNSpecificCharacters":
                    ["PasswordCharacters": counted, "PasswordCharacterCount": most] as [String: Any],
                "PasswordContainsNoMoreThanNConsecutiveIdenticalCharacters": run,
            ]
            let (outcome, code) = make(.safari, requirements)
            guard let password = outcome else {
                #expect(code == Int(errSecParam))
                continue
            }
            made += 1
            #expect((least...greatest).contains(password.count))
            #expect(password.allSatisfy { allowed.contains($0) && !disallowed.contains($0) })
            let usable = required.filter { set in set.contains { allowed.contains($0) && !disallowed.contains($0) } }
            for set in usable { #expect(password.contains { set.contains($0) }, "\(password) of \(requirements)") }
            #expect(password.count { counted.contains($0) } <= most)
            #expect(!notFirst.contains(password.prefix(1)) || password.isEmpty)
            #expect(!notLast.contains(password.suffix(1)) || password.isEmpty)
            for character in letters {
                #expect(!password.contains(String(repeating: character, count: run + 1)), "\(password)")
            }
        }
        #expect(made > 300, "\(made)")
    }

    @Test func `at least so many of some characters occur`() throws {
        for number in 0...20 {
            let requirement: [String: Any] = ["PasswordCharacters": "!", "PasswordCharacterCount": number]
            let demands = usual.merging(
                [
                    "PasswordContainsAtLeastNSpecificCharacters": requirement, "PasswordMinLength": 20,
                    "PasswordMaxLength": 23, "PasswordRequiredCharacters": ["!"],
                ]
            ) { $1 }
            let password = try #require(make(.wifi, demands).0)
            #expect(password.count { $0 == "!" } >= number, "\(password)")
        }
    }

    @Test func `groups are as large and as many as they should be`() throws {
        let demands = usual.merging(
            ["PasswordGroupSize": 5, "PasswordNumberOfGroups": 3, "SecPasswordSeparator": "_"]
        ) { $1 }
        let groups = try #require(make(.wifi, demands).0).split(separator: "_")
        #expect(groups.map(\.count) == [5, 5, 5])
        let tooLong = demands.merging(["PasswordMaxLength": 16]) { $1 }
        #expect(make(.wifi, tooLong).1 == Int(errSecParam))
    }

    private static let bad: [(String, any Sendable)] = [
        ("PasswordMinLength", "8"), ("PasswordMinLength", 31), ("PasswordMinLength", 0), ("PasswordMinLength", -1),
        ("PasswordMinLength", true), ("PasswordMinLength", 1e300), ("PasswordMaxLength", Date()),
        ("PasswordAllowedCharacters", ""), ("PasswordAllowedCharacters", 7),
        ("PasswordRequiredCharacters", [String]()), ("PasswordRequiredCharacters", "abc"),
        ("PasswordRequiredCharacters", [1]), ("PasswordDisallowedCharacters", "abcdefXYZ0123!"),
        ("PasswordCantStartWithChars", "abcdefXYZ0123!"), ("PasswordCantEndWithChars", 1), ("PasswordGroupSize", 4),
        ("PasswordNumberOfGroups", 4), ("PasswordContainsNoMoreThanNConsecutiveIdenticalCharacters", 0),
        ("PasswordContainsNoMoreThanNSpecificCharacters", "a"),
        ("PasswordContainsNoMoreThanNSpecificCharacters", ["PasswordCharacterCount": 1]),
    ]

    @Test(arguments: bad.indices)
    func `demands that contradict each other, and those of another type, are errSecParam`(index: Int) {
        let (key, value) = Self.bad[index]
        let outcome = make(.safari, usual.merging([key: value as Any]) { $1 })
        #expect(outcome.0 == nil, "\(key): \(value)")
        #expect(outcome.1 == Int(errSecParam))
    }

    @Test(arguments: usual.keys.sorted())
    func `what has to be said is missed`(key: String) {
        #expect(make(.safari, usual.filter { $0.key != key }).1 == Int(errSecParam))
        let asDefault = usual.filter { $0.key != key }.merging(["PasswordDefaultForType": "true"]) { $1 }
        #expect(make(.safari, asDefault).0?.count == 15)
    }

    @Test func `an unknown type is errSecParam`() {
        var error: Unmanaged<CFError>?
        #expect(GeneratedPasswords.password(type: 5, requirements: nil, &error) == nil)
        #expect((error?.takeRetainedValue() as NSError?)?.code == Int(errSecParam))
    }

    // MARK: - Weakness

    @Test(arguments: [
        "1111", "1212", "121212", "1234", "7890", "0987", "4321", "456789", "2580", "5683", "000000", "112233",
        "520520", "123321", "147258", "963852", "159357", "774411", "907709",
    ])
    func `PINs that are guessed first are weak`(pin: String) {
        #expect(PasswordWeakness.isWeak(pin, isSimple: true))
        #expect(PasswordWeakness.isWeak(pin))
    }

    @Test(arguments: ["8274", "7391", "1235", "820461", "147823", "112034"])
    func `other PINs are not`(pin: String) {
        #expect(!PasswordWeakness.isWeak(pin, isSimple: true))
    }

    @Test func `long passwords are weak if they say little`() {
        for weak in ["", "a", "aaaaaaaaaaaaaaaaaaaa", "abcdefghijklmnop", "12345678", "abababababababab"] {
            #expect(PasswordWeakness.isWeak(weak, isSimple: false), "\(weak)")
        }
        for strong in ["kX9-mqP2-vT7w", "correct horse battery staple", "4kd8Qm2x", "password", "password1"] {
            #expect(!PasswordWeakness.isWeak(strong, isSimple: false), "\(strong)")
        }
    }

    @Test func `digits are as many as asked for`() {
        for count in [1, 6, 1024] {
            let digits = GeneratedPasswords.digits(count, nil) as String?
            #expect(digits?.count == count)
            #expect(digits?.allSatisfy { ("0"..."9").contains($0) } ?? false)
        }
        for count in [0, -1, 1025, .max, .min] { #expect(GeneratedPasswords.digits(count, nil) == nil) }
    }
}
