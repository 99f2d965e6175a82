package import EnclaveInterface

/// The programs that chatelaine-identify has vouched for, until the keychain service asks for one.
package struct Vouchers: Sendable {
    private struct Entry {
        let uid: UInt32
        let program: VouchedProgram
        let made: UInt64
    }

    private var entries: [AskerVoucher: Entry] = [:]

    /// Nanoseconds: the service asks at once.
    private static let lifetime: UInt64 = 60_000_000_000
    private static let most = 1_024
    /// A limit for each user above the number of its open questions, so that no user uses up the others' share.
    private static let mostOfUser = 64

    package init() {}

    package var count: Int { entries.count }

    package mutating func add(_ voucher: AskerVoucher, for program: VouchedProgram, of uid: UInt32) {
        forgetOld()
        let own = entries.filter { $0.value.uid == uid }
        if own.count >= Self.mostOfUser { remove(oldestOf: own) }
        if entries.count >= Self.most { remove(oldestOf: entries) }
        entries[voucher] = Entry(uid: uid, program: program, made: StartClock.current.now)
    }

    /// Uses a voucher up.
    ///
    /// - Returns: nil where there is none of that name, it is another user's, or it is too old.
    package mutating func redeem(_ voucher: AskerVoucher, of uid: UInt32) -> VouchedProgram? {
        forgetOld()
        guard let entry = entries.removeValue(forKey: voucher), entry.uid == uid else { return nil }
        return entry.program
    }

    private mutating func remove(oldestOf some: [AskerVoucher: Entry]) {
        if let oldest = some.min(by: { $0.value.made < $1.value.made }) { entries[oldest.key] = nil }
    }

    private mutating func forgetOld() {
        let now = StartClock.current.now
        entries = entries.filter { now >= $0.value.made && now - $0.value.made <= Self.lifetime }
    }
}
