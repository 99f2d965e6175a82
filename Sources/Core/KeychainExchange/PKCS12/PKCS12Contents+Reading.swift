import KeychainCertificates
package import KeychainModel
import SwiftASN1

extension PKCS12Contents {
    /// Reads a file. Nothing is decrypted before the MAC has said that the file is whole and the password right.
    ///
    /// - Parameters:
    ///   - bytes: a PFX in BER, and nothing behind it; at most `ExchangeLimits.largestFile`.
    ///   - password: UTF-8. Programs do not agree on what no password is: nil and an empty one both stand for both.
    /// - Throws: `authenticationFailed` where the MAC is another, for a wrong password or a damaged file; `undecodable`
    ///   for what is no such file, for one without a MAC, and for one that asks for too much work; `unimplemented` for
    ///   algorithms that are not known or not installed; `dataTooLarge`.
    package init(
        reading bytes: [UInt8],
        password: SecretBytes?,
        limits: ExchangeLimits = .standard
    ) throws(KeychainError) {
        var reader = try PKCS12Reader(bytes, password, limits)
        try reader.readSafes()
        self = reader.contents
    }
}

/// A file whose MAC was found right.
private struct PKCS12Reader {
    private(set) var contents = PKCS12Contents()
    private let authenticatedSafe: [UInt8]
    private let password: ExchangePassword
    private var budget: WorkBudget
    private var bags: Int

    init(_ bytes: [UInt8], _ password: SecretBytes?, _ limits: ExchangeLimits) throws(KeychainError) {
        var fields = try BoundedBER.parse(bytes).fields()
        guard try fields.next().number() == 3 else { throw .malformed }
        authenticatedSafe = try Self.data(in: fields.next())
        // Without one any person could have written the bytes, and a wrong password would show late or not at all.
        guard let node = fields.nextIfAny() else {
            throw KeychainError(.undecodable, "the file has no MAC: nothing says that it is whole")
        }
        try fields.end()
        let code = try PKCS12MAC(node)
        budget = WorkBudget(limits)
        bags = limits.bags
        var found: ExchangePassword?
        for candidate in try ExchangePassword.candidates(password) where found == nil {
            if try code.isValid(for: authenticatedSafe, candidate, &budget) { found = candidate }
        }
        guard let found else { throw .wrongPassword }
        self.password = found
    }

    /// The bytes of a ContentInfo that is data.
    private static func data(in node: ASN1Node) throws(KeychainError) -> [UInt8] {
        var fields = try node.fields()
        let type = try fields.next().identifierOfObject()
        let content = try fields.next()
        try fields.end()
        switch type {
        case .data: return try content.tagged(0).octets()
        // Signed by a key instead of the password.
        case .signedData: throw .unknownAlgorithm(type)
        default: throw .malformed
        }
    }

    mutating func readSafes() throws(KeychainError) {
        var safes = try BoundedBER.parse(authenticatedSafe).fields()
        while let safe = safes.nextIfAny() {
            try count()
            var fields = try safe.fields()
            let type = try fields.next().identifierOfObject()
            let content = try fields.next().tagged(0)
            try fields.end()
            switch type {
            case .data: try readBags(BoundedBER.parse(content.octets()), depth: 1)
            case .encryptedData: try readEncrypted(content)
            case .envelopedData: throw .unknownAlgorithm(type)
            default: throw .malformed
            }
        }
    }

    private mutating func readEncrypted(_ node: ASN1Node) throws(KeychainError) {
        var fields = try node.fields()
        _ = try fields.next().number()
        var content = try fields.next().fields()
        guard try content.next().identifierOfObject() == .data else { throw .malformed }
        let algorithm = try Algorithm(content.next())
        let ciphertext = try content.next().octets(.context(0))
        let safe = try PasswordEncryption.decrypt(ciphertext, algorithm, password: password, budget: &budget)
        try safe.withArray { (bytes) throws(KeychainError) in try readBags(BoundedBER.parse(bytes), depth: 1) }
    }

    private mutating func readBags(_ safe: ASN1Node, depth: Int) throws(KeychainError) {
        guard depth <= budget.limits.depth else { throw .tooLarge }
        var bags = try safe.fields()
        while let bag = bags.nextIfAny() {
            try count()
            var fields = try bag.fields()
            let type = try fields.next().identifierOfObject()
            let value = try fields.next().tagged(0)
            let attributes = try BagAttributes(fields.nextIfAny())
            try fields.end()
            try read(type, value, attributes, depth)
        }
    }

    private mutating func read(
        _ type: OID,
        _ value: ASN1Node,
        _ attributes: BagAttributes,
        _ depth: Int
    ) throws(KeychainError) {
        switch type {
        case .keyBag:
            let key = SecretBytes(value.encodedBytes)
            guard PrivateKeyInfo.hasForm(key) else { throw .malformed }
            add(key, attributes)
        case .shroudedKeyBag: add(try EncryptedPrivateKeyInfo.open(value, password, &budget), attributes)
        case .certificateBag:
            var fields = try value.fields()
            // The other kind, SDSI, was never in use.
            guard try fields.next().identifierOfObject() == .x509Certificate else { return }
            contents.certificates.append(
                Certificate(
                    der: try fields.next().tagged(0).octets(),
                    friendlyName: attributes.friendlyName,
                    localKeyID: attributes.localKeyID
                )
            )
        case .safeContentsBag: try readBags(value, depth: depth + 1)
        // Lists of revoked certificates, secrets of any kind: nothing that a keychain takes from such a file.
        default: return
        }
    }

    private mutating func add(_ key: SecretBytes, _ attributes: BagAttributes) {
        contents.keys.append(
            Key(privateKey: key, friendlyName: attributes.friendlyName, localKeyID: attributes.localKeyID)
        )
    }

    private mutating func count() throws(KeychainError) {
        guard bags > 0 else { throw .tooLarge }
        bags -= 1
    }

    private typealias Key = PKCS12Contents.Key
    private typealias Certificate = PKCS12Contents.Certificate
}
