#if DEBUG
import Glibc
#endif

/// What it costs to try one passcode: scrypt's parameters (RFC 7914).
package struct PasscodeCost: Sendable, Equatable {
    /// The logarithm to base 2 of N.
    package let logN: UInt8
    package let r: UInt8
    package let p: UInt8

    /// 128 MiB.
    package static let standard = PasscodeCost(uncheckedLogN: 17, r: 8, p: 1)

    /// What a new passcode costs to try where nothing else is said: the standard.
    ///
    /// Builds for debugging take N's logarithm from `CHATELAINE_DEBUG_PASSCODE_COST`, within what a keybag may ask for:
    /// tests set it for the programs that they start, unless a passcode's strength is their subject.
    package static let usual: PasscodeCost = {
        #if DEBUG
        if let text = unsafe getenv("CHATELAINE_DEBUG_PASSCODE_COST"),
            let logN = unsafe UInt8(String(cString: text)), let cost = PasscodeCost(logN: logN, r: 8, p: 1)
        {
            return cost
        }
        #endif
        return .standard
    }()

    /// What a keybag may ask for: from 16 MiB, so that guessing stays expensive, to 1 GiB, so that a keybag cannot use up
    /// the memory of the machine.
    package init?(logN: UInt8, r: UInt8, p: UInt8) {
        guard 14...20 ~= logN, r == 8, 1...4 ~= p else { return nil }
        self.init(uncheckedLogN: logN, r: r, p: p)
    }

    /// A cost that protects nothing, for tests that try many passcodes.
    package static let uncheckedLeast = PasscodeCost(uncheckedLogN: 1, r: 1, p: 1)

    private init(uncheckedLogN logN: UInt8, r: UInt8, p: UInt8) {
        self.logN = logN
        self.r = r
        self.p = p
    }

    var bytes: [UInt8] { [logN, r, p] }
}
