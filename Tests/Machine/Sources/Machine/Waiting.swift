import Foundation

/// Looks again and again until there is something.
///
/// - Throws: `Failure` after so many seconds, which says what was waited for.
@discardableResult func waited<Result>(
    for what: @autoclosure () -> String,
    seconds: Double,
    _ look: () throws -> Result?
) throws -> Result {
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
        if let result = try look() { return result }
        guard ContinuousClock.now < end else { throw Failure("waited \(Int(seconds)) s for \(what())") }
        usleep(10_000)
    }
}
