/// What a request brings as a proof that a token was given to its sender.
struct TokenUse: Equatable {
    let parameter: [UInt8]
    let version: TokenProtocol.Version

    /// - Parameters:
    ///   - parameter: its key in the request's map.
    ///   - version: that of the protocol's number.
    /// - Returns: nil where the request brings none.
    init?(_ map: CTAPMap, parameter: CBORValue, version: CBORValue) throws(CTAPStatus) {
        let bytes = try map.optional(parameter, \.bytes)
        let number = try map.optional(version, \.integer)
        guard let bytes else { return nil }
        guard let number else { throw .missingParameter }
        guard let version = TokenProtocol.Version(rawValue: number) else { throw .invalidParameter }
        self.parameter = bytes
        self.version = version
    }
}
