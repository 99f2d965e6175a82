import KeychainModel

/// Everything that a value is made of, secrets too, as text: two values are the same when their pictures are.
func picture(_ value: Any) -> String {
    if let secret = value as? SecretBytes {
        return secret.withUnsafeBytes { "secret \(Array($0))" }
    }
    if let error = value as? KeychainError { return "\(error.code) \(error.message)" }
    if let names = value as? Set<[UInt8]> { return names.map { "\($0)" }.sorted().joined() }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .dictionary {
        return mirror.children.map { picture($0.value) }.sorted().joined(separator: "\n")
    }
    guard !mirror.children.isEmpty else { return String(reflecting: value) }
    let parts = mirror.children.map { "\($0.label ?? ""): \(picture($0.value))" }
    return "\(mirror.subjectType)(\(parts.joined(separator: ", "))) "
}
