/// For how long a program takes an unlock of the session with a finger for a finger that it asks for
/// (`LAContext.touchIDAuthenticationAllowableReuseDuration`).
///
/// It is what the program says. The enclave goes by `longest`, whatever that is.
package struct UnlockReuse: Sendable, Hashable {
    package let milliseconds: UInt32

    package init(milliseconds: UInt32) {
        self.milliseconds = milliseconds
    }

    /// - Parameter seconds: what is no number, or not above zero, means never; what is too long, the longest time.
    package init(seconds: Double) {
        let longest = Double(Self.longest.milliseconds) / 1_000
        milliseconds = seconds > 0 ? UInt32(min(seconds, longest) * 1_000) : 0
    }

    package static let none = UnlockReuse(milliseconds: 0)
    /// `LATouchIDAuthenticationMaximumAllowableReuseDuration`.
    package static let longest = UnlockReuse(milliseconds: 300_000)
}
