package import Foundation

/// Waits until something holds, and returns whether it came to hold.
///
/// - Parameter pause: microseconds between two looks; none where what is waited for does not last.
package func eventually(
    patience: TimeInterval = 20,
    pause: UInt32 = 10_000,
    _ condition: () throws -> Bool
) rethrows -> Bool {
    let deadline = Date() + patience
    while Date() < deadline {
        if try condition() { return true }
        if pause > 0 { usleep(pause) }
    }
    return try condition()
}

/// Waits until something holds, and fails with what was waited for if it does not come to hold.
///
/// - Parameter event: what is waited for, as a sentence without its end: "the service listens".
package func waitUntil(
    _ event: @autoclosure () -> String,
    patience: TimeInterval = 60,
    pause: UInt32 = 2_000,
    _ condition: () throws -> Bool
) throws {
    guard try eventually(patience: patience, pause: pause, condition) else {
        throw NeverHappened(description: "waited \(Int(patience)) seconds in vain until \(event())")
    }
}

/// What a test waited for did not happen.
package struct NeverHappened: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}
