/// `authenticatorCredentialManagement` (CTAP 2.1, section 6.8).
struct ManagementRequest {
    enum Subcommand: Equatable {
        case metadata
        case firstSite
        case nextSite
        /// By the hash of the site.
        case firstPasskey(ofSite: [UInt8])
        case nextPasskey
        case delete([UInt8])
        case update([UInt8], Passkey.User)
    }

    let subcommand: Subcommand
    let token: TokenUse?
    /// What the token's holder has authenticated.
    let authenticated: [UInt8]

    init(_ bytes: ArraySlice<UInt8>) throws(CTAPStatus) {
        let map = try CTAPMap(bytes)
        let number = try map.required(1, \.integer)
        let parameters = try map.map(2)
        switch number {
        case 1: subcommand = .metadata
        case 2: subcommand = .firstSite
        case 3: subcommand = .nextSite
        case 4: subcommand = .firstPasskey(ofSite: try Self.required(parameters).bytes(1))
        case 5: subcommand = .nextPasskey
        case 6: subcommand = .delete(try Self.identifier(parameters))
        case 7:
            let user = try Passkey.User(CTAPMap(.map(Self.required(parameters).required(3, \.map))))
            subcommand = .update(try Self.identifier(parameters), user)
        default: throw .invalidSubcommand
        }
        token = try TokenUse(map, parameter: 4, version: 3)
        authenticated = [UInt8(truncatingIfNeeded: number)] + (parameters.map { CBORValue.map($0.map).encoded } ?? [])
    }

    private static func required(_ parameters: CTAPMap?) throws(CTAPStatus) -> CTAPMap {
        guard let parameters else { throw .missingParameter }
        return parameters
    }

    private static func identifier(_ parameters: CTAPMap?) throws(CTAPStatus) -> [UInt8] {
        let list = try [CBORValue.map(required(parameters).required(2, \.map))]
        guard let identifier = try CredentialDescriptor.identifiers(list).first else { throw .invalidCredential }
        return identifier
    }
}
