/// The caller that brings a passcode.
package enum Visitor: Sendable {
    /// The keychain's owner, where no service keeps their programs apart. Wrong passcodes are counted, and slow the
    /// next ones down.
    case owner
    /// Any program of the owner's, where a service keeps them apart: the same, and it needs more for what destroys
    /// or reveals.
    case program
    /// The administrator, who answers for wrong passcodes: what a log-in asked for. They are neither counted nor
    /// delayed, or a stranger at the log-in could lock the owner out.
    case administrator

    /// Whether wrong passcodes are counted.
    var isCounted: Bool { self != .administrator }
}
