import Foundation
import Security

/// What the person is told.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    init(_ description: String, _ status: OSStatus) {
        let sentence = SecCopyErrorMessageString(status, nil) as String? ?? "no such status"
        self.init("\(description): \(sentence) (\(status))")
    }

    init(_ description: String, _ error: Unmanaged<CFError>?) {
        guard let error = error?.takeRetainedValue() else {
            self.init(description)
            return
        }
        self.init(description, OSStatus((error as any Error as NSError).code))
    }
}
