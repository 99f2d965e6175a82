import Foundation

/// Which passcodes are guessed first.
package enum PasswordWeakness {
    /// - Parameters:
    ///   - passcode: of any characters and length.
    ///   - isSimple: whether it is a PIN.
    package static func isWeak(_ passcode: String, isSimple: Bool) -> Bool {
        isSimple && isPIN(passcode) ? isWeakPIN(passcode) : isWeakPassword(passcode)
    }

    /// The same, where four or six digits are a PIN.
    package static func isWeak(_ passcode: String) -> Bool {
        isWeak(passcode, isSimple: [4, 6].contains(passcode.utf8.count))
    }

    private static func isPIN(_ passcode: String) -> Bool {
        !passcode.isEmpty && passcode.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// One digit or two, again and again; a digit more or less each time, 9 and 0 being neighbours; one of the ten that
    /// most people take.
    static func isWeakPIN(_ pin: String) -> Bool {
        let digits = pin.utf8.map { Int($0) - 48 }
        let steps = Set(zip(digits, digits.dropFirst()).map { ($1 - $0 + 10) % 10 })
        let repeatsTwo = zip(digits, digits.dropFirst(2)).allSatisfy { $0 == $1 }
        return repeatsTwo || steps == [0] || steps == [1] || steps == [9] || commonPINs.contains(pin)
    }

    private static let commonPINs: Set<String> = [
        "1234", "0000", "2580", "1111", "5555", "5683", "0852", "2222", "1212", "1998",
        "123456", "111111", "123123", "000000", "654321", "121212", "112233", "666666", "159753", "131313",
    ]

    private static let commonPasswords: Set<String> = [
        "password", "password1", "passw0rd", "qwertyuiop", "iloveyou", "letmein", "1q2w3e4r", "qwerty123", "baseball",
        "football",
    ]

    /// Passwords of less are weak: some five random letters and digits.
    private static let leastBits = 30.0

    private static func isWeakPassword(_ password: String) -> Bool {
        if commonPasswords.contains(password.lowercased()) { return true }
        let scalars = password.unicodeScalars.map { Int($0.value) }
        // A character that repeats the one before, or follows it in the alphabet, adds nothing.
        let steps = zip(scalars, scalars.dropFirst()).map { $1 - $0 }
        let surprising = steps.filter { abs($0) > 1 }.count + (scalars.isEmpty ? 0 : 1)
        let counted = min(surprising, Set(scalars).count * 2)
        return Double(counted) * log2(Double(alphabetSize(of: password))) < leastBits
    }

    /// How many characters there are of the kinds that a password has.
    private static func alphabetSize(of password: String) -> Int {
        var size = 0
        if password.contains(where: { $0.isASCII && $0.isNumber }) { size += 10 }
        if password.contains(where: { $0.isASCII && $0.isLowercase }) { size += 26 }
        if password.contains(where: { $0.isASCII && $0.isUppercase }) { size += 26 }
        if password.contains(where: { $0.isASCII && !$0.isNumber && !$0.isLetter }) { size += 33 }
        if password.contains(where: { !$0.isASCII }) { size += 128 }
        return max(size, 2)
    }
}
