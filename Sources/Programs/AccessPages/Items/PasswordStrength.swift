import Glibc

/// How easily a password is guessed, by rules that people can follow. Nothing is asked of the network.
package enum PasswordStrength {
    /// Why a password is weak; nil for one that is not.
    package static func weakness(of password: String, account: String, place: String) -> String? {
        let small = password.lowercased()
        if password.isEmpty { return "empty" }
        if password.count < shortest { return "shorter than \(shortest) characters" }
        if common.contains(small) { return "one of the most common passwords" }
        if Set(small).count <= 3 { return "made of few different characters" }
        if isSequence(small) { return "a sequence" }
        for (name, text) in [("account", account), ("website or service", place)] {
            let word = text.lowercased()
            if word.count >= 4, small.contains(word), small.count - word.count < shortest {
                return "little more than the \(name)"
            }
        }
        if bits(of: password) < leastBits { return "easily guessed" }
        return nil
    }

    package static let shortest = 8
    private static let leastBits = 40.0

    /// The bits of a password whose characters were chosen at random among those of their kinds. A password that a person
    /// has made up has fewer.
    package static func bits(of password: String) -> Double {
        var alphabet = 0
        let scalars = password.unicodeScalars
        if scalars.contains(where: { $0.properties.isLowercase }) { alphabet += 26 }
        if scalars.contains(where: { $0.properties.isUppercase }) { alphabet += 26 }
        if scalars.contains(where: { ("0"..."9").contains($0) }) { alphabet += 10 }
        if scalars.contains(where: { $0.isASCII && !$0.properties.isAlphabetic && !("0"..."9").contains($0) }) {
            alphabet += 33
        }
        if scalars.contains(where: { !$0.isASCII }) { alphabet += 100 }
        return Double(password.count) * log2(Double(max(alphabet, 1)))
    }

    /// Whether each character follows the one before it in the alphabet, the digits or a row of keys, or is the same.
    private static func isSequence(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        let isCounting = zip(scalars, scalars.dropFirst()).allSatisfy { left, right in
            abs(Int(left.value) - Int(right.value)) <= 1
        }
        return isCounting || rows.contains { $0.contains(text) || String($0.reversed()).contains(text) }
    }

    private static let rows = [
        "qwertyuiopasdfghjklzxcvbnm", "qwertzuiopasdfghjklyxcvbnm", "azertyuiopqsdfghjklmwxcvbn",
        "12345678901234567890",
    ]

    /// From the lists that are published each year.
    private static let common: Set = [
        "password", "password1", "password123", "passw0rd", "p@ssw0rd", "12345678", "123456789", "1234567890",
        "11111111",
        "qwerty123", "qwertyuiop", "1q2w3e4r", "1q2w3e4r5t", "iloveyou", "sunshine", "princess", "football", "baseball",
        "welcome1", "welcome123", "admin123", "administrator", "letmein1", "trustno1", "superman", "batman123",
        "abc12345",
        "abcd1234", "changeme", "changeme123", "default1", "whatever", "computer", "internet", "starwars", "dragon123",
        "monkey123", "master123", "michelle", "jennifer", "passwort", "geheim123", "hallo123", "schalke04",
        "azertyuiop",
        "motdepasse", "contraseña", "qwerty12", "zaq12wsx", "1qaz2wsx", "asdfghjkl", "asdf1234", "zxcvbnm1",
        "secret123",
    ]
}
