/// `authenticatorClientPIN` (CTAP 2.1, section 6.5.5), without the parts that need a PIN.
enum ClientPINRequest {
    case keyAgreement(TokenProtocol.Version)
    case verificationRetries
    /// `getPinUvAuthTokenUsingUvWithPermissions`.
    case token(TokenProtocol.Version, key: CBORMap, TokenScope)

    init(_ bytes: ArraySlice<UInt8>) throws(CTAPStatus) {
        let map = try CTAPMap(bytes)
        switch try map.required(2, \.integer) {
        case 2: self = .keyAgreement(try Self.version(map))
        case 7: self = .verificationRetries
        case 6:
            self = .token(
                try Self.version(map),
                key: try map.required(3, \.map),
                try TokenScope(
                    permissions: try map.required(9, \.integer),
                    site: try map.optional(10, \.text).map { (site) throws(CTAPStatus) in try RelyingParty(site) }
                )
            )
        default: throw .invalidSubcommand
        }
    }

    private static func version(_ map: CTAPMap) throws(CTAPStatus) -> TokenProtocol.Version {
        guard let version = TokenProtocol.Version(rawValue: try map.required(1, \.integer)) else {
            throw .invalidParameter
        }
        return version
    }
}
