/// The object that `kSecUseAuthenticationContext` takes: an `LAContext`, whose module is built on this one.
package protocol AuthenticationContext: AnyObject {
    /// Whether the call fails rather than ask the person.
    var forbidsInteraction: Bool { get }
}
