/// A credential as a list of a site names it (WebAuthn, section 5.8.3).
enum CredentialDescriptor {
    /// The longest identifier that is looked at, in bytes.
    static let longestIdentifier = 255
    /// The most entries of a list. Together with the longest identifier it fits into a message.
    static let mostInList = 20
    /// Of those, how many a client is told to send: so many fit into the message that it is told to send at most.
    static let mostAnnounced = 5

    /// What says of what type a key is, and the only type that there is.
    static let typeName: CBORValue = "type"
    static let publicKey = "public-key"

    /// Reads a list, without the entries of a type that is not known.
    ///
    /// - Throws: `limitExceeded` for a list that is too long; `cborUnexpectedType` and `missingParameter`.
    static func identifiers(_ list: [CBORValue]) throws(CTAPStatus) -> [[UInt8]] {
        guard list.count <= mostInList else { throw .limitExceeded }
        var identifiers: [[UInt8]] = []
        for entry in list {
            let map = try CTAPMap(entry)
            let type = try map.text(typeName)
            let identifier = try map.bytes("id")
            if type == publicKey { identifiers.append(identifier) }
        }
        return identifiers
    }

    static func value(_ identifier: [UInt8]) -> CBORValue {
        .map(["id": .bytes(identifier), "type": "public-key"])
    }
}
