import Foundation

/// How much is done by a test that tries the same thing at many places: a sample, or all of it where
/// `CHATELAINE_CAMPAIGNS` is `whole`.
package enum Campaign {
    private static let isWhole = ProcessInfo.processInfo.environment["CHATELAINE_CAMPAIGNS"] == "whole"

    /// How many rounds are made.
    package static func rounds(_ whole: Int, sample: Int) -> Int { isWhole ? whole : sample }

    /// How far it is from one place to the next.
    package static func step(_ whole: Int = 1, sample: Int) -> Int { isWhole ? whole : sample }
}
