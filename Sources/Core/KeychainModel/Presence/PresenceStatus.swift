/// By what the owner of a keychain can be told now.
package struct PresenceStatus: Sendable, Hashable {
    package struct Factor: Sendable, Hashable {
        /// Why there is no asking for it; nil if there is.
        package let obstacle: PresenceFailure?
        /// A digest of what is enrolled; nil where nothing is, or where the factor knows no enrolment.
        package let enrolled: [UInt8]?

        package init(obstacle: PresenceFailure?, enrolled: [UInt8]? = nil) {
            self.obstacle = obstacle
            self.enrolled = enrolled
        }
    }

    /// By factor.
    private var factors: [PresenceFactors: Factor] = [:]

    package init(_ factors: [PresenceFactors: Factor]) {
        self.factors = factors
    }

    package init(passcode: PresenceFailure?, biometry: PresenceFailure?, biometrySet: [UInt8]? = nil) {
        factors = [
            .passcode: Factor(obstacle: passcode), .biometry: Factor(obstacle: biometry, enrolled: biometrySet),
        ]
    }

    /// The state of one factor. A factor that a service of another version says nothing of cannot be asked for.
    package subscript(factor: PresenceFactors) -> Factor { factors[factor] ?? Factor(obstacle: .nobodyToAsk) }

    /// Each factor with its state, in the order of their numbers.
    package var all: [(factor: PresenceFactors, state: Factor)] {
        factors.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    }

    /// The factors that a person can prove now.
    package var available: PresenceFactors {
        factors.reduce([]) { $1.value.obstacle == nil ? $0.union($1.key) : $0 }
    }

    /// Why nobody can be asked for a demand; nil if somebody can.
    ///
    /// - Parameter proved: what nobody has to be asked for any more.
    package func obstacle(to demand: PresenceDemand, beside proved: PresenceFactors = []) -> PresenceFailure? {
        if demand.alternatives.isEmpty { return .noCompanion }
        if demand.isMet(by: available.union(proved)) { return nil }
        // What every way lacks says most, and of such factors the passcode least.
        let common = demand.alternatives.reduce(PresenceFactors.all) { $0.intersection($1) }.each.reversed()
        return (common + PresenceFactors.all.each).lazy.compactMap { self[$0].obstacle }.first
    }
}

extension PresenceStatus: CustomStringConvertible {
    /// In the order of the factors, so that two states that are equal read the same.
    package var description: String { all.map { "\($0.factor.rawValue): \($0.state)" }.joined(separator: ", ") }
}
