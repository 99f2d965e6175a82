import Glibc

/// An open descriptor that is closed with its last user.
package final class Descriptor: Sendable {
    package let number: Int32

    /// - Parameter number: an open descriptor that no other code closes.
    package init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }
}
