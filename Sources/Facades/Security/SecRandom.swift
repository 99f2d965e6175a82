import CoreFoundationAliases
import Foundation

/// A source of random numbers. There is one, the system's, which has no object.
public final class SecRandom: Sendable {
    private init() {}
}

/// A source of random numbers.
public typealias SecRandomRef = SecRandom

/// The system's cryptographically secure source of random numbers.
public let kSecRandomDefault: SecRandomRef? = nil

/// Fills memory with cryptographically secure random bytes.
///
/// - Parameters:
///   - rnd: `kSecRandomDefault`; there is no other source.
///   - count: How many bytes to write.
///   - bytes: Where to write them.
/// - Returns: `errSecSuccess`, `errSecParam` for a negative count, or `errSecIO` if the system has no random bytes to
///   give; then the memory must not be used.
@discardableResult
public func SecRandomCopyBytes(_ rnd: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer) -> Int32 {
    guard count >= 0 else { return errSecParam }
    var filled = 0
    while filled < count {
        let chunk = min(count - filled, longestRequest)
        guard unsafe getentropy(bytes + filled, chunk) == 0 else { return errSecIO }
        filled += chunk
    }
    return errSecSuccess
}

/// The kernel gives at most so many bytes at a time without being interrupted.
private let longestRequest = 256
