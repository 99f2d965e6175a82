import Crypto

/// An authenticator of CTAP 2.1 without a cable: messages come in, answers go out, one after the other. The keychain has
/// the passkeys, and asks their owner.
///
/// `docs/passkeys.md` says, command by command, what is done and what is refused.
package struct Authenticator<Keychain: PasskeyKeychain> {
    let keychain: Keychain
    /// Milliseconds of a clock that never goes back.
    let now: () -> UInt64
    /// For the agreement on keys. Platforms agree once and get tokens later, so it stays.
    let agreement = P256.KeyAgreement.PrivateKey()
    var token: PlatformToken<Keychain.Consent>?
    var unfinished: UnfinishedAnswer<Keychain.Consent>?

    /// Tells this kind of authenticator from others; all of them have the same.
    static var aaguid: [UInt8] {
        [0xC4, 0xA7, 0xE1, 0xA1, 0x4E, 0x1B, 0x4F, 0x0B, 0x8E, 0x3D, 0x52, 0x6B, 0x9C, 0x70, 0xD8, 0x15]
    }

    /// - Parameter clock: milliseconds of a clock that never goes back.
    package init(_ keychain: Keychain, clock: @escaping () -> UInt64) {
        self.keychain = keychain
        now = clock
    }

    /// Answers a message.
    ///
    /// - Parameter channel: of the client. What follows an answer is for the same client alone.
    /// - Returns: a status, and behind it a map where there is something to tell.
    package mutating func answer(_ message: [UInt8], on channel: UInt32) -> [UInt8] {
        do throws(CTAPStatus) {
            let map = try perform(CTAPRequest(message), on: channel)
            return [CTAPStatus.success.rawValue] + (map.isEmpty ? [] : CBORValue.map(map).encoded)
        } catch {
            return [error.rawValue]
        }
    }

    /// Forgets what has lain unused for too long, and with it what the owner has agreed to.
    package mutating func forgetUnused() {
        let now = now()
        if token?.isOver(at: now) == true { token = nil }
        if unfinished?.isOver(at: now) == true { unfinished = nil }
    }

    /// Whether `forgetUnused` may have something to forget.
    package var hasUnused: Bool { token != nil || unfinished != nil }

    private mutating func perform(_ request: CTAPRequest, on channel: UInt32) throws(CTAPStatus) -> CBORMap {
        forgetUnused()
        switch request {
        case .getInfo: return information
        case .nextAssertion, .management: break
        // Only what follows at once continues an answer.
        default: if unfinished?.channel == channel { unfinished = nil }
        }
        switch request {
        case .getInfo: return information
        case .makeCredential(let request): return try make(request)
        case .getAssertion(let request): return try assert(request, on: channel)
        case .nextAssertion: return try nextAssertion(on: channel)
        case .clientPIN(let request): return try answer(request)
        case .management(let request): return try manage(request, on: channel)
        case .selection:
            _ = try keychain.ask(.select)
            return CBORMap()
        // Passkeys are deleted one by one, by name: a program that speaks to the device must not destroy them all.
        case .reset: throw .notAllowed
        }
    }

    private var information: CBORMap {
        [
            1: ["FIDO_2_0", "FIDO_2_1"], 2: ["credBlob", "credProtect", "hmac-secret"], 3: .bytes(Self.aaguid),
            4: [
                "credMgmt": true, "makeCredUvNotRqd": true, "pinUvAuthToken": true, "plat": false, "rk": true,
                "up": true, "uv": .boolean(keychain.canVerify),
            ],
            // What a message of so many bytes has room for, with the longest identifiers.
            5: .integer(Int64(HIDLink.largestAnnounced)), 6: [2, 1],
            7: .integer(Int64(CredentialDescriptor.mostAnnounced)),
            8: .integer(Int64(CredentialDescriptor.longestIdentifier)), 9: ["usb"],
            10: [["alg": .integer(MakeCredentialRequest.es256), "type": "public-key"]],
            15: .integer(Int64(AuthenticatorExtensions.longestBlob)),
        ]
    }
}
