@_implementationOnly import KeychainModel

extension PasswordRequirements {
    /// So often whole passwords are drawn, so that all that are allowed are equally likely.
    private static let draws = 200
    /// So often one is put together, where those that are allowed are rare.
    private static let attempts = 1000

    /// A new password that meets them all.
    ///
    /// - Throws: `invalidParameter` where none was found in a bounded number of attempts; `inputOutput` where the
    ///   system has no random bytes to give.
    func newPassword() throws(KeychainError) -> String {
        var draw = RandomDraw()
        for _ in 0..<Self.draws {
            var password: [Character] = []
            for _ in 0..<length { password.append(try draw.element(of: allowed)) }
            if isMet(by: password) { return written(password) }
        }
        for _ in 0..<Self.attempts {
            if let password = try built(&draw), isMet(by: password) { return written(password) }
        }
        throw Self.contradiction
    }

    private func written(_ password: [Character]) -> String {
        guard let groupSize else { return String(password) }
        return PasswordFormat.grouped(password, size: groupSize, separator: separator)
    }

    /// Gives places by lot to what has to occur, and fills each with what is still allowed there.
    ///
    /// - Returns: nil where that comes to nothing.
    private func built(_ draw: inout RandomDraw) throws(KeychainError) -> [Character]? {
        let wanted = required + Array(repeating: atLeast?.characters ?? [], count: atLeast?.number ?? 0)
        var places = Array(repeating: Set<Character>?.none, count: length)
        var free = Array(0..<length)
        for set in wanted {
            // One character may stand for several sets.
            guard !free.isEmpty else { break }
            places[free.remove(at: try draw.number(below: free.count))] = set
        }
        var password: [Character] = []
        for place in places.indices {
            let candidates = allowed.filter { character in
                (places[place]?.contains(character) ?? true) && isAllowed(character, at: place, after: password)
            }
            guard !candidates.isEmpty else { return nil }
            password.append(try draw.element(of: candidates))
        }
        return password
    }

    private func isAllowed(_ character: Character, at place: Int, after password: [Character]) -> Bool {
        if place == 0, notFirst.contains(character) { return false }
        if place == length - 1, notLast.contains(character) { return false }
        if longestRun <= password.count, password.suffix(longestRun).allSatisfy({ $0 == character }) { return false }
        if let atMost, atMost.characters.contains(character) {
            return password.count(where: atMost.characters.contains) < atMost.number
        }
        return true
    }
}
