import CoreFoundationAliases
import Foundation

@_implementationOnly import KeychainModel

/// What a website demands of a password, read from a dictionary.
///
/// Lengths count characters and separators. Passwords are `usualLength` long where that is allowed, and as close to it
/// as can be elsewhere.
struct PasswordRequirements {
    /// How many of some characters there may be, or have to be.
    struct Count {
        let characters: Set<Character>
        let number: Int
    }

    private(set) var allowed: [Character] = []
    /// Of each, one at least is in the password.
    private(set) var required: [Set<Character>] = []
    private(set) var atMost: Count?
    private(set) var atLeast: Count?
    private(set) var longestRun = Int.max
    private(set) var notFirst: Set<Character> = []
    private(set) var notLast: Set<Character> = []
    /// Of the characters without separators.
    private(set) var length = 0
    private(set) var groupSize: Int?
    private(set) var separator = "-"

    static let usualLength = 20
    private static let greatestLength = 256
    private static let mostCharacters = 4096
    private static let mostRequired = 64

    /// - Throws: `invalidParameter` for values of other types, for what is missing (the lengths, the allowed and the
    ///   required characters), and for requirements that contradict each other.
    init(_ dictionary: NSDictionary) throws(KeychainError) {
        let reader = Reader(dictionary)
        let least = try reader.required(reader.number("PasswordMinLength"))
        let greatest = try reader.required(reader.number("PasswordMaxLength"))
        let disallowed = Set(try reader.text("PasswordDisallowedCharacters") ?? "")
        let named = try reader.required(reader.text("PasswordAllowedCharacters"))
        var seen = disallowed
        allowed = named.filter { seen.insert($0).inserted }
        notFirst = Set(try reader.text("PasswordCantStartWithChars") ?? "")
        notLast = Set(try reader.text("PasswordCantEndWithChars") ?? "")
        longestRun = try reader.number("PasswordContainsNoMoreThanNConsecutiveIdenticalCharacters") ?? .max
        atMost = try reader.count("PasswordContainsNoMoreThanNSpecificCharacters")
        atLeast = try reader.count("PasswordContainsAtLeastNSpecificCharacters")
        let demanded = try reader.required(reader.characterSets("PasswordRequiredCharacters", among: allowed))
        // A set with no allowed character demands nothing, as on Apple's systems.
        required = demanded.filter { !$0.isEmpty }
        separator = try reader.text("SecPasswordSeparator") ?? "-"
        guard (1...Self.greatestLength).contains(least), least <= greatest,
            (1...Self.mostCharacters).contains(allowed.count), (1...Self.mostRequired).contains(demanded.count),
            longestRun > 0
        else { throw Self.contradiction }
        try setLength(
            least...min(greatest, Self.greatestLength),
            groupSize: reader.number("PasswordGroupSize"),
            groups: reader.number("PasswordNumberOfGroups")
        )
        if let atLeast { guard atLeast.number <= length else { throw Self.contradiction } }
    }

    private mutating func setLength(
        _ lengths: ClosedRange<Int>,
        groupSize: Int?,
        groups: Int?
    ) throws(KeychainError) {
        switch (groupSize, groups) {
        case (nil, nil):
            length = min(max(Self.usualLength, lengths.lowerBound), lengths.upperBound)
        case (let size?, let groups?):
            guard (1...Self.greatestLength).contains(size), (1...Self.greatestLength).contains(groups) else {
                throw Self.contradiction
            }
            length = size * groups
            guard lengths.contains(length + (groups - 1) * separator.count) else { throw Self.contradiction }
            self.groupSize = size
        default: throw KeychainError(.invalidParameter, "groups of a password have a size and a number, or neither")
        }
    }

    static let contradiction = KeychainError(.invalidParameter, "no password meets all these requirements")

    func isMet(by password: [Character]) -> Bool {
        guard let first = password.first, let last = password.last, !notFirst.contains(first),
            !notLast.contains(last), required.allSatisfy({ $0.contains(where: password.contains) })
        else { return false }
        if let atMost { guard password.count(where: atMost.characters.contains) <= atMost.number else { return false } }
        if let atLeast {
            guard password.count(where: atLeast.characters.contains) >= atLeast.number else { return false }
        }
        var run = 0
        var previous: Character?
        for character in password {
            run = character == previous ? run + 1 : 1
            previous = character
            if run > longestRun { return false }
        }
        return true
    }
}

/// Takes values out of the dictionary.
private struct Reader {
    private let dictionary: NSDictionary

    init(_ dictionary: NSDictionary) { self.dictionary = dictionary }

    func required<Value>(_ value: Value?) throws(KeychainError) -> Value {
        guard let value else {
            throw KeychainError(.invalidParameter, "the lengths, the allowed or the required characters are missing")
        }
        return value
    }

    /// From 0 on.
    func number(_ key: String) throws(KeychainError) -> Int? {
        guard let value = dictionary.object(forKey: key as NSString) else { return nil }
        guard let number = value as? NSNumber, !isBoolean(number), let integer = Int(exactly: number.doubleValue),
            integer >= 0
        else { throw Self.wrongType }
        return integer
    }

    func text(_ key: String) throws(KeychainError) -> String? {
        guard let value = dictionary.object(forKey: key as NSString) else { return nil }
        guard let text = value as? String else { throw Self.wrongType }
        return text
    }

    func count(_ key: String) throws(KeychainError) -> PasswordRequirements.Count? {
        guard let value = dictionary.object(forKey: key as NSString) else { return nil }
        guard let inner = value as? NSDictionary else { throw Self.wrongType }
        let reader = Reader(inner)
        return PasswordRequirements.Count(
            characters: Set(try reader.required(reader.text("PasswordCharacters"))),
            number: try reader.required(reader.number("PasswordCharacterCount"))
        )
    }

    /// Strings, or sets of characters.
    func characterSets(_ key: String, among allowed: [Character]) throws(KeychainError) -> [Set<Character>]? {
        guard let value = dictionary.object(forKey: key as NSString) else { return nil }
        guard let array = value as? NSArray, array.count <= 64 else { throw Self.wrongType }
        var sets: [Set<Character>] = []
        for element in array {
            switch element {
            case let text as String: sets.append(Set(text).intersection(allowed))
            case let set as CharacterSet:
                sets.append(Set(allowed.filter { $0.unicodeScalars.allSatisfy(set.contains) }))
            default: throw Self.wrongType
            }
        }
        return sets
    }

    private static let wrongType = KeychainError(.invalidParameter, "a requirement has a value of another type")
}
