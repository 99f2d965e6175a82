/// Why nothing can be said of a caller.
///
/// Not the keychain's own error: chatelaine-identify, which has capabilities, is to have as little in it as possible.
package enum WitnessError: Error, Equatable {
    /// The process has ended, or cannot be seen from here.
    case isGone
    /// The process was not examined; the sentence says why.
    case noAnswer(String)
}
