import Crypto
import KeychainModel

/// What a platform got for the owner's consent (`pinUvAuthToken`, CTAP 2.1, section 6.5.2.1): good for one operation of
/// one site, or to look after the passkeys for a while.
struct PlatformToken<Consent: Sendable>: Sendable {
    let bytes: [UInt8]
    let scope: TokenScope
    let consent: Consent
    /// In milliseconds of the clock.
    private let madeAt: UInt64
    private var usedAt: UInt64

    /// In milliseconds. So long after their answer the owner counts as present, and so long may a token lie unused.
    private static var longestPause: UInt64 { 30_000 }
    /// For as long as this may passkeys be looked after.
    private static var longestUse: UInt64 { 600_000 }

    init(_ scope: TokenScope, _ consent: Consent, at now: UInt64) {
        bytes = RandomBytes.make(32)
        self.scope = scope
        self.consent = consent
        madeAt = now
        usedAt = now
    }

    func isOver(at now: UInt64) -> Bool {
        switch scope {
        // Silent questions do not prolong it.
        case .passkeys: now &- madeAt > Self.longestPause
        case .management: now &- usedAt > Self.longestPause || now &- madeAt > Self.longestUse
        }
    }

    /// - Throws: `pinAuthInvalid` unless the message was authenticated with this token, for what it is good for.
    mutating func check(
        _ use: TokenUse,
        of message: [UInt8],
        for purpose: TokenPurpose,
        at now: UInt64
    ) throws(CTAPStatus) {
        guard TokenProtocol.isValid(use.parameter, of: message, key: SymmetricKey(data: bytes), use.version),
            purpose.isWithin(scope)
        else { throw .pinAuthInvalid }
        usedAt = now
    }
}
