/// One line of a pinentry. What it says of a secret is not in here: that went into a buffer of its own.
enum AssuanReply: Equatable {
    case ok
    /// With the code of libgpg-error alone; the source of the error is of no interest.
    case error(UInt16)
    /// The secret was typed twice, and the same.
    case repeated
    case data
    /// A status or a comment, which is ignored.
    case other
}

/// The codes of libgpg-error that a person's decision comes as.
extension AssuanReply {
    static let timeout: UInt16 = 62
    static let canceled: UInt16 = 99
    static let notConfirmed: UInt16 = 114
    static let localeProblem: UInt16 = 166
    /// What its manual calls so: the person ended all that is going on.
    static let fullyCanceled: UInt16 = 198
    static let windowTooSmall: UInt16 = 301
}
