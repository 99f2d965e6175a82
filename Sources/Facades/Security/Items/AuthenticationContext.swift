/// The object that `kSecUseAuthenticationContext` takes: an `LAContext`, whose module is built on this one.
package protocol AuthenticationContext: AnyObject {
    /// Whether the call fails rather than ask the person.
    var forbidsInteraction: Bool { get }
    /// The application password that it was given: `SecretBytes`, a type that no declaration here may name.
    var applicationPassword: (any AnyObject & Sendable)? { get }
    /// What was proved in it: a `PresenceContext`, of which the same holds.
    var presenceContext: (any AnyObject & Sendable)? { get }
    /// What the person reads.
    var promptReason: String { get }
    var promptCancelTitle: String? { get }
    var promptFallbackTitle: String? { get }
    /// For how many seconds an unlock of the session with a finger does for a finger.
    var unlockReuseDuration: Double { get }
}
