/// `authenticatorGetAssertion` (CTAP 2.1, section 6.2).
struct GetAssertionRequest {
    let site: RelyingParty
    let clientDataHash: [UInt8]
    /// Empty where the site names no credential: then those that are discoverable are looked for.
    let allowed: [[UInt8]]
    let namesCredentials: Bool
    let extensions: CBORMap
    let asksPerson: Bool
    let demandsVerification: Bool
    let token: TokenUse?

    init(_ bytes: ArraySlice<UInt8>) throws(CTAPStatus) {
        let map = try CTAPMap(bytes)
        site = try RelyingParty(map.text(1))
        clientDataHash = try map.bytes(2)
        guard clientDataHash.count == 32 else { throw .invalidParameter }
        let list = try map.optional(3, \.array) ?? []
        namesCredentials = !list.isEmpty
        allowed = try CredentialDescriptor.identifiers(list)
        extensions = try map.optional(4, \.map) ?? CBORMap()
        let options = try map.map(5)
        asksPerson = try options?.option("up") ?? true
        demandsVerification = try options?.option("uv") ?? false
        // It means something at registration alone.
        guard try options?.option("rk") == nil else { throw .unsupportedOption }
        token = try TokenUse(map, parameter: 6, version: 7)
    }
}
