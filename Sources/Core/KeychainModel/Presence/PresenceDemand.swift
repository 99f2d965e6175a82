/// What a person has to prove before something is done for a program.
package struct PresenceDemand: Sendable, Hashable {
    /// Any alternative suffices. An empty set can never be satisfied here; an alternative without factors is satisfied
    /// by anything.
    package let alternatives: Set<PresenceFactors>

    package init(_ alternatives: Set<PresenceFactors>) {
        self.alternatives = alternatives
    }

    package static let nothing = PresenceDemand([[]])
    /// `kSecAccessControlUserPresence` and `LAPolicy.deviceOwnerAuthentication`: a finger or the passcode.
    package static let owner = PresenceDemand([.passcode, .biometry])
    package static let passcode = PresenceDemand([.passcode])
    package static let biometry = PresenceDemand([.biometry])
    /// What a companion device would have to prove; there are none.
    package static let impossible = PresenceDemand([])

    package func isMet(by factors: PresenceFactors) -> Bool {
        alternatives.contains { factors.isSuperset(of: $0) }
    }

    /// The factors that help after some were proved, of those that are available at all.
    package func wanted(beside proved: PresenceFactors, among available: PresenceFactors) -> PresenceFactors {
        alternatives.filter { available.union(proved).isSuperset(of: $0) }
            .reduce(PresenceFactors()) { $0.union($1) }.subtracting(proved)
    }

    /// The alternatives that remain for a person who cannot prove a factor.
    package func without(_ factor: PresenceFactors) -> PresenceDemand {
        PresenceDemand(alternatives.filter { $0.isDisjoint(with: factor) })
    }

    /// A bit for each alternative, at the place of its number: how the demand is sent.
    package var bits: UInt32 { alternatives.reduce(0) { $0 | 1 << UInt32($1.rawValue) } }

    /// - Returns: nil where an alternative has a factor that is unknown here.
    package init?(bits: UInt32) {
        let places = (UInt8(0)..<32).filter { bits & 1 << UInt32($0) != 0 }
        let alternatives = places.map(PresenceFactors.init(rawValue:))
        guard alternatives.allSatisfy(PresenceFactors.all.isSuperset) else { return nil }
        self.init(Set(alternatives))
    }

    package static func any(of demands: [PresenceDemand]) -> PresenceDemand {
        PresenceDemand(Set(demands.flatMap(\.alternatives)))
    }

    package static func all(of demands: [PresenceDemand]) -> PresenceDemand {
        demands.reduce(.nothing) { all, demand in
            PresenceDemand(
                Set(all.alternatives.flatMap { left in demand.alternatives.map { left.union($0) } })
            )
        }
    }
}

extension AccessControl {
    /// What a person has to prove before the item's value is released, its application password aside. The value of an
    /// item whose access control is for key use is but a reference to the key.
    package var demand: PresenceDemand { isForKeyUse ? .nothing : constraint }

    /// What a person has to prove before a private key does something, its application password aside.
    package var keyUseDemand: PresenceDemand { isForKeyUse ? constraint : .nothing }

    /// What a person has to prove, for any operation.
    package var constraint: PresenceDemand {
        let demands = (flags ?? []).demands
        return (flags ?? []).contains(.or) && !demands.isEmpty ? .any(of: demands) : .all(of: demands)
    }

    /// Whether an enrolled finger of today has to be enrolled still whenever the value is released.
    package var needsCurrentBiometry: Bool { namesCurrentBiometry && !isForKeyUse }

    /// The same of what a private key does.
    package var keyUseNeedsCurrentBiometry: Bool { namesCurrentBiometry && isForKeyUse }

    private var namesCurrentBiometry: Bool { flags?.contains(.biometryCurrentSet) ?? false }
}

extension AccessControlFlags {
    fileprivate var demands: [PresenceDemand] { constraints.map(\.demand) }
}
