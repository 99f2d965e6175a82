import Glibc

/// Makes passwords of random characters, or of random words.
package struct PasswordGenerator: Sendable, Equatable {
    package var isWords = false
    package var hasDigits = true
    package var hasSymbols = true
    package var length = 20

    /// Characters, or words.
    package var lengths: ClosedRange<Int> { isWords ? 4...12 : 8...128 }

    package init() {}

    // Without those that look like others.
    private static let capitals = Array("ABCDEFGHJKLMNPQRSTUVWXYZ")
    private static let letters = Array("abcdefghijkmnopqrstuvwxyz")
    private static let digits = Array("23456789")
    private static let symbols = Array("!#$%&*+-./:;<=>?@^_~")
    private static let consonants = Array("bdfghjklmnprstvz")
    private static let vowels = Array("aeiou")

    /// - Parameter generator: of random numbers; the system's, unless a test says otherwise.
    package func password(using generator: inout some RandomNumberGenerator) -> String {
        isWords ? words(&generator) : characters(&generator)
    }

    package func password() -> String {
        var generator = SystemRandomNumberGenerator()
        return password(using: &generator)
    }

    /// How many bits are chosen at random, rounded down.
    package var bits: Int {
        let each = isWords ? Self.bitsOfWord : PasswordGenerator.log2(alphabet.count)
        return Int(Double(length) * each)
    }

    private var alphabet: [Character] {
        Self.capitals + Self.letters + (hasDigits ? Self.digits : []) + (hasSymbols ? Self.symbols : [])
    }

    /// At least one of each kind, as many places demand: others are thrown away and made anew, so that all that are left are
    /// equally likely.
    private func characters(_ generator: inout some RandomNumberGenerator) -> String {
        let kinds =
            [Self.capitals, Self.letters] + (hasDigits ? [Self.digits] : []) + (hasSymbols ? [Self.symbols] : [])
        let alphabet = alphabet
        while true {
            let made = (0..<length).compactMap { _ in alphabet.randomElement(using: &generator) }
            if kinds.allSatisfy({ kind in made.contains(where: kind.contains) }) { return String(made) }
        }
    }

    /// Words that can be spoken, such as `tazobi`: three syllables each.
    private func words(_ generator: inout some RandomNumberGenerator) -> String {
        let words = (0..<length).map { _ in
            String(
                (0..<3).flatMap { _ in
                    [Self.consonants.randomElement(using: &generator), Self.vowels.randomElement(using: &generator)]
                        .compactMap(\.self)
                }
            )
        }
        var text = words.joined(separator: "-")
        if hasDigits { text += String((0..<2).compactMap { _ in Self.digits.randomElement(using: &generator) }) }
        if hasSymbols, let symbol = Self.symbols.randomElement(using: &generator) { text.append(symbol) }
        return text
    }

    private static let bitsOfWord = 3 * log2(consonants.count * vowels.count)

    private static func log2(_ count: Int) -> Double { Glibc.log2(Double(count)) }
}
