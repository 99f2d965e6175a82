/// What a `HIDLink` wants done next.
package enum HIDAction: Sendable, Equatable {
    /// Send one report, of `HIDLink.reportSize` bytes.
    case send([UInt8])
    /// Perform a CTAP request, a command byte and its CBOR parameters, and call `HIDLink.answer` once.
    case perform([UInt8])
    /// Cancel the request that is being performed. It still gets its one answer. May be asked for more than once.
    case cancel
    /// Show the person which authenticator this is.
    case wink
}
