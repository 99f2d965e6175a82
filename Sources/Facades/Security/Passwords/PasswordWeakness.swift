import Foundation

/// Which passcodes are guessed first: by patterns and by length. There is no dictionary, as Apple's function has none.
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
    /// most people take. Of six digits also: three twice, the second time as they are or backwards; pairs; and two lines
    /// of the keypad.
    static func isWeakPIN(_ pin: String) -> Bool {
        let digits = pin.utf8.map { Int($0) - 48 }
        let steps = Set(zip(digits, digits.dropFirst()).map { ($1 - $0 + 10) % 10 })
        let repeatsTwo = zip(digits, digits.dropFirst(2)).allSatisfy { $0 == $1 }
        return repeatsTwo || steps == [0] || steps == [1] || steps == [9] || commonPINs.contains(pin)
            || digits.count == 6 && isPattern(digits)
    }

    private static func isPattern(_ digits: [Int]) -> Bool {
        let (first, second) = (Array(digits[..<3]), Array(digits[3...]))
        let isOfPairs = (0..<3).allSatisfy { digits[2 * $0] == digits[2 * $0 + 1] }
        return first == second || first == second.reversed() || isOfPairs
            || keypadLines.contains(first) && keypadLines.contains(second)
    }

    /// The rows, the columns and the diagonals, in both directions.
    private static let keypadLines: Set<[Int]> = {
        let lines = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 4, 7], [2, 5, 8], [3, 6, 9], [1, 5, 9], [3, 5, 7]]
        return Set(lines + lines.map { $0.reversed() })
    }()

    private static let commonPINs: Set<String> = [
        "1234", "0000", "2580", "1111", "5555", "5683", "0852", "2222", "1212", "1998",
        "123456", "111111", "123123", "000000", "654321", "121212", "112233", "666666", "159753", "131313",
    ]

    /// Passwords of less are weak: some five random letters and digits.
    private static let leastBits = 30.0

    private static func isWeakPassword(_ password: String) -> Bool {
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
