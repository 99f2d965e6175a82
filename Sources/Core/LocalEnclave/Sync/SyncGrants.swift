import KeychainSync

/// What the owner has allowed, and was not done yet.
struct SyncGrants {
    enum Grant: Hashable {
        case found
        case add(DeviceID)
        case remove(DeviceID)
    }

    /// Two minutes, in nanoseconds since the start of the machine.
    private static let lifetime: UInt64 = 120_000_000_000
    private static let mostAtOnce = 16

    private var granted: [(grant: Grant, since: UInt64)] = []

    mutating func allow(_ grant: Grant, at now: UInt64) {
        forgetOld(at: now)
        granted.removeAll { $0.grant == grant }
        if granted.count >= Self.mostAtOnce { granted.removeFirst() }
        granted.append((grant, now))
    }

    mutating func has(_ grant: Grant, at now: UInt64) -> Bool {
        forgetOld(at: now)
        return granted.contains { $0.grant == grant }
    }

    /// Whether it was allowed. It is used up.
    mutating func use(_ grant: Grant, at now: UInt64) -> Bool {
        forgetOld(at: now)
        guard let place = granted.firstIndex(where: { $0.grant == grant }) else { return false }
        granted.remove(at: place)
        return true
    }

    private mutating func forgetOld(at now: UInt64) {
        granted.removeAll { now < $0.since || now - $0.since > Self.lifetime }
    }
}
