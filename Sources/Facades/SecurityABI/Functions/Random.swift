import Security

/// There is no source but the system's, so that it does not matter which is asked for.
@c(SecRandomCopyBytes)
public func secRandomCopyBytes(_ source: UnsafeRawPointer?, _ count: Int, _ bytes: UnsafeMutableRawPointer?) -> Int32 {
    guard let bytes = unsafe bytes else { return count == 0 ? errSecSuccess : errSecParam }
    return unsafe SecRandomCopyBytes(kSecRandomDefault, count, bytes)
}
