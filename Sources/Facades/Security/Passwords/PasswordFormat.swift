@_implementationOnly import KeychainModel

/// The formats of passwords, by the numbers of `SecPasswordType`.
package enum PasswordFormat: UInt32, CaseIterable, Sendable {
    case safari = 0
    case iCloudRecovery = 1
    case wifi = 2
    case pin = 3
    case iCloudRecoveryKey = 4

    /// How many characters a group has.
    package var groupSize: Int { self == .safari ? 3 : 4 }

    package var numberOfGroups: Int {
        switch self {
        case .safari: 4
        case .iCloudRecovery: 6
        case .wifi: 3
        case .pin: 1
        case .iCloudRecoveryKey: 7
        }
    }

    /// Without those that look alike (I, O, l, o, 0, 1), where there are letters beside digits.
    private var alphabet: [Character] {
        switch self {
        case .safari: Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789")
        case .wifi: Array("abcdefghijkmnpqrstuvwxyz23456789")
        case .iCloudRecovery, .iCloudRecoveryKey: Self.recoveryAlphabet
        case .pin: Array("0123456789")
        }
    }

    /// 32 characters, which the checksum relies on.
    private static let recoveryAlphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")

    /// A new password of the format. Those that are not good enough are thrown away whole, so that all others are
    /// equally likely.
    ///
    /// - Throws: `inputOutput` where the system has no random bytes to give.
    func newPassword() throws(KeychainError) -> String {
        var draw = RandomDraw()
        let checkCount = self == .iCloudRecoveryKey ? 2 : 0
        // Of each format at least half are good enough: to fail so often is no more likely than to guess a key.
        for _ in 0..<256 {
            var characters: [Character] = []
            for _ in 0..<(groupSize * numberOfGroups - checkCount) {
                characters.append(try draw.element(of: alphabet))
            }
            guard isGoodEnough(characters) else { continue }
            if self == .iCloudRecoveryKey { characters += Self.checksum(of: characters) }
            return Self.grouped(characters, size: groupSize, separator: "-")
        }
        throw KeychainError(.inputOutput, "the system's random bytes are not random")
    }

    private func isGoodEnough(_ characters: [Character]) -> Bool {
        switch self {
        case .safari:
            characters.contains(where: \.isUppercase) && characters.contains(where: \.isLowercase)
                && characters.contains(where: \.isNumber)
        case .pin: Set(characters).count > 2 && !PasswordWeakness.isWeakPIN(String(characters))
        case .iCloudRecovery, .wifi, .iCloudRecoveryKey: true
        }
    }

    static func grouped(_ characters: [Character], size: Int, separator: String) -> String {
        stride(from: 0, to: characters.count, by: size)
            .map { String(characters[$0..<min($0 + size, characters.count)]) }
            .joined(separator: separator)
    }

    /// Whether a password has the groups, the characters and, of a recovery key, the checksum of the format. It says
    /// nothing of how good it is. A PIN may have six digits too.
    package func isFormat(of password: String) -> Bool {
        let groups = password.split(separator: "-", omittingEmptySubsequences: false)
        let allowed = Set(alphabet)
        guard groups.allSatisfy({ $0.allSatisfy(allowed.contains) }) else { return false }
        if self == .pin { return groups.count == 1 && [4, 6].contains(password.count) }
        guard groups.count == numberOfGroups, groups.allSatisfy({ $0.count == groupSize }) else { return false }
        let characters = Array(groups.joined())
        return self != .iCloudRecoveryKey || Self.checksum(of: characters.dropLast(2)) == characters.suffix(2)
    }

    /// Two characters by which one that was mistyped is found, and two that were exchanged.
    ///
    /// The characters are the digits of a number in base 32, each one more, and the checksum is what is left of it by
    /// the greatest prime below 1,024.
    private static func checksum(of characters: some Collection<Character>) -> [Character] {
        let rest = characters.reduce(0) { rest, character in
            (rest * 32 + (recoveryAlphabet.firstIndex(of: character) ?? 0) + 1) % 1021
        }
        return [recoveryAlphabet[rest / 32], recoveryAlphabet[rest % 32]]
    }
}
