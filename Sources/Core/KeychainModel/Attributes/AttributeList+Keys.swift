extension AttributeList {
    /// - Throws: `unimplemented` for the attributes of a key of which there are no objects: all but public ones.
    package func requirePublicKey() throws(KeychainError) {
        guard let keyClass = self[.keyClass], keyClass != .integer(0) else { return }
        throw KeychainError(.unimplemented, "there are no objects of private and symmetric keys yet")
    }

    /// Whether the attributes are those of an RSA key; nil where they are of neither kind that objects have.
    package var isOfRSAKey: Bool? {
        switch self["type"] {
        case .integer(42): true
        case .integer(73): false
        default: nil
        }
    }
}
