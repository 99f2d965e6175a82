package import KeychainCertificates

/// A value of a caller's dictionary as it arrived, before anything was checked.
package enum QueryValue: Sendable {
    case string(String)
    case data([UInt8])
    /// The bytes of `kSecValueData`, taken straight into the type that zeroes itself.
    case secret(SecretBytes)
    case integer(Int64)
    case real(Double)
    /// Only a Boolean is a Boolean; the number 1 is not.
    case boolean(Bool)
    /// Seconds since 2001-01-01.
    case date(Double)
    /// The 16 bytes of a UUID object and its text.
    case uuid([UInt8], String)
    case null
    case accessControl(AccessControl)
    /// An object that an item can be made of.
    case reference(ItemReference)
    /// What certificates have to be good for.
    case policy(TrustPolicy)
    /// A conversation with the person.
    case authenticationContext(CallContext)
    /// An array of nothing but data.
    case list([[UInt8]])
    /// A value of any other type, such as another array: only keys that take anything take it.
    case other
}

/// A conversation with the person, as a call is given one.
package struct CallContext: Sendable {
    /// Whether it forbids to ask them anything more.
    package var forbidsInteraction: Bool
    /// The application password that it was given.
    package var applicationPassword: SecretBytes?
    /// What was proved in it.
    package var presence: (any PresenceContext)?
    package var prompt: PromptWishes
    package var reuse: UnlockReuse

    package init(
        forbidsInteraction: Bool,
        applicationPassword: SecretBytes? = nil,
        presence: (any PresenceContext)? = nil,
        prompt: PromptWishes = PromptWishes(),
        reuse: UnlockReuse = .none
    ) {
        self.forbidsInteraction = forbidsInteraction
        self.applicationPassword = applicationPassword
        self.presence = presence
        self.prompt = prompt
        self.reuse = reuse
    }
}
