/// `authenticatorMakeCredential` (CTAP 2.1, section 6.1).
struct MakeCredentialRequest {
    let clientDataHash: [UInt8]
    let site: RelyingParty
    let user: Passkey.User
    let algorithms: [Int64]
    let excluded: [[UInt8]]
    let extensions: CBORMap
    let isDiscoverable: Bool
    let demandsVerification: Bool
    let token: TokenUse?

    static let es256: Int64 = -7

    init(_ bytes: ArraySlice<UInt8>) throws(CTAPStatus) {
        let map = try CTAPMap(bytes)
        clientDataHash = try map.bytes(1)
        guard clientDataHash.count == 32 else { throw .invalidParameter }
        site = try RelyingParty(CTAPMap(.map(map.required(2, \.map))).text("id"))
        user = try Passkey.User(CTAPMap(.map(map.required(3, \.map))))
        var algorithms: [Int64] = []
        for entry in try map.required(4, \.array) {
            let parameters = try CTAPMap(entry)
            let number = try parameters.required("alg", \.integer)
            let type = try parameters.text(CredentialDescriptor.typeName)
            if type == CredentialDescriptor.publicKey { algorithms.append(number) }
        }
        self.algorithms = algorithms
        excluded = try CredentialDescriptor.identifiers(map.optional(5, \.array) ?? [])
        extensions = try map.optional(6, \.map) ?? CBORMap()
        let options = try map.map(7)
        isDiscoverable = try options?.option("rk") ?? false
        demandsVerification = try options?.option("uv") ?? false
        // A person is always asked: a request not to do so is refused.
        guard try options?.option("up") ?? true else { throw .invalidOption }
        token = try TokenUse(map, parameter: 8, version: 9)
        // No enterprise has an attestation here.
        guard try map.optional(10, \.integer) == nil else { throw .invalidParameter }
    }
}
