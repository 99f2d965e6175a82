import CertificateTestSupport
import Crypto
import Foundation
import LocalAuthentication
import Security
import Testing
import X509

@Suite("Identities as objects", .timeLimit(.minutes(10)))
struct IdentityReferenceTests {
    private let authority: TestAuthority
    private let certificate: SecCertificate
    private let key: SecKey
    private let identity: SecIdentity

    init() throws {
        authority = try TestAuthority.root("Authority")
        let holder = try authority.issue("Alice")
        certificate = try #require(SecCertificateCreateWithData(nil, Data(holder.der) as CFData))
        key = try Self.privateKey(holder.key)
        identity = try #require(SecIdentityCreate(nil, certificate, key))
    }

    private static func privateKey(_ key: P256.Signing.PrivateKey) throws -> SecKey {
        let attributes = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
        ]
        return try #require(
            SecKeyCreateWithData(key.x963Representation as CFData, attributes as CFDictionary, nil)
        )
    }

    /// Another certificate for the same key.
    private func anotherCertificate() throws -> SecCertificate {
        let bytes = try #require(SecKeyCopyExternalRepresentation(key, nil) as Data?)
        let renewed = try authority.issue("Alice", key: P256.Signing.PrivateKey(x963Representation: bytes))
        return try #require(SecCertificateCreateWithData(nil, Data(renewed.der) as CFData))
    }

    private func item(_ more: [CFString: Any] = [:]) -> [CFString: Any] {
        more.merging([kSecValueRef: identity]) { old, _ in old }
    }

    private func object(_ query: [CFString: Any]) throws -> SecIdentity {
        let found = find(query.merging([kSecReturnRef: true]) { $1 })
        try #require(found.status == errSecSuccess)
        return try #require(found.result as? SecIdentity)
    }

    // MARK: - Without a keychain

    @Test
    func `an identity is made of a certificate and its own private key alone`() throws {
        var part: SecCertificate?
        #expect(SecIdentityCopyCertificate(identity, &part) == errSecSuccess)
        #expect(part == certificate)
        var half: SecKey?
        #expect(SecIdentityCopyPrivateKey(identity, &half) == errSecSuccess)
        #expect(half == key)
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        #expect(SecIdentityCreate(nil, certificate, publicKey) == nil)
        #expect(try SecIdentityCreate(nil, certificate, Self.privateKey(P256.Signing.PrivateKey())) == nil)
        #expect(CFEqual(identity, SecIdentityCreate(nil, certificate, key)))
        let renewed = try SecIdentityCreate(nil, anotherCertificate(), key)
        #expect(!CFEqual(identity, renewed))
        #expect(CFGetTypeID(identity) == SecIdentityGetTypeID())
    }

    // MARK: - Adding

    @Test(arguments: Transport.allCases)
    func `it is stored as certificate and key, and found as what it was`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(add(item([kSecAttrLabel: "mine"])) == errSecSuccess)
            try #expect(attributes(of: certificates())["labl"] as? String == "mine")
            try #expect(attributes(of: keys())["labl"] as? String == "mine")
            try #expect(attributes(of: certificates())["pdmn"] as? String == "dk")
            try #expect(attributes(of: keys())["pdmn"] as? String == "ak")
            try #expect(CFEqual(object(identities()), identity))
            // The key that comes back signs.
            var half: SecKey?
            try SecIdentityCopyPrivateKey(object(identities([kSecAttrLabel: "mine"])), &half)
            let message = Data("m".utf8) as CFData
            let signer = try #require(half)
            let signature = try #require(
                SecKeyCreateSignature(signer, .ecdsaSignatureMessageX962SHA256, message, nil)
            )
            let publicKey = try #require(SecCertificateCopyKey(certificate))
            #expect(
                SecKeyVerifySignature(publicKey, .ecdsaSignatureMessageX962SHA256, message, signature, nil)
            )
        }
    }

    @Test(arguments: Transport.allCases)
    func `each half gets the attributes that it can have`(transport: Transport) throws {
        try withKeychain(transport) {
            let more: [CFString: Any] = [
                kSecClass: kSecClassIdentity, kSecAttrApplicationTag: Data("tag".utf8),
                "alis" as CFString: Data("alias".utf8),
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock, kSecAttrSynchronizable: true,
            ]
            #expect(add(item(more)) == errSecSuccess)
            let any = [kSecAttrSynchronizable: true]
            let storedKey = try attributes(of: keys(any))
            let storedCertificate = try attributes(of: certificates(any))
            #expect(storedKey["atag"] as? Data == Data("tag".utf8))
            #expect(storedCertificate["alis"] as? Data == Data("alias".utf8))
            #expect(storedKey["pdmn"] as? String == "ck" && storedCertificate["pdmn"] as? String == "ck")
            // The certificate's subject is its label, where nobody gives one.
            #expect(storedCertificate["labl"] as? String == "Alice")
            #expect(add(item(["nope": 1])) == errSecNoSuchAttr)
            #expect(add(item([kSecClass: kSecClassKey])) == errSecNoSuchClass)
            #expect(add(item([kSecValueData: Data([1])])) == errSecParam)
            #expect(add(item([kSecMatchLimit: 1])) == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases)
    func `one half that is there already is no duplicate, and both are one`(transport: Transport) throws {
        for first in [certificate, key] as [CFTypeRef] {
            try withKeychain(transport) {
                #expect(add([kSecValueRef: first]) == errSecSuccess)
                let added = addReturning(item([kSecReturnPersistentRef: true]))
                #expect(added.status == errSecSuccess)
                let bytes = try #require(added.result as? Data)
                #expect(bytes.starts(with: Data("idnt".utf8)))
                try #expect(CFEqual(object([kSecValuePersistentRef: bytes]), identity))
                let again = resultAfter { SecItemAdd(item([kSecReturnPersistentRef: true]) as CFDictionary, $0) }
                #expect(again.status == errSecDuplicateItem)
                #expect(again.isUntouched)
                try #expect(count(of: certificates()) == 1 && count(of: keys()) == 1)
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `an add returns the identity, its attributes and its key's data`(transport: Transport) throws {
        let returns: [CFString: Any] = [
            kSecReturnRef: true, kSecReturnAttributes: true, kSecReturnData: true, kSecReturnPersistentRef: true,
        ]
        try withKeychain(transport) {
            let added = try #require(addReturning(item(returns)).result as? [String: Any])
            let found = try #require(find(identities(returns)).result as? [String: Any])
            for result in [added, found] {
                #expect(CFEqual(result["v_Ref"] as CFTypeRef, identity))
                #expect(result["class"] as? String == "idnt")
                #expect(result["v_Data"] as? Data == SecKeyCopyExternalRepresentation(key, nil) as Data?)
                #expect(result["certdata"] as? Data == SecCertificateCopyData(certificate) as Data)
                #expect(result["labl"] as? String == "Alice")
                #expect(result["issr"] != nil)
            }
            #expect(added["v_PersistentRef"] as? Data == found["v_PersistentRef"] as? Data)
            #expect(found["klbl"] as? Data == found["pkhh"] as? Data)
        }
        try withKeychain(transport) {
            #expect(CFEqual(addReturning(item([kSecReturnRef: true])).result, identity))
            #expect(resultAfter { SecItemAdd([kSecValueRef: 1] as CFDictionary, $0) }.status == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the object of an identity finds the identity, and neither data nor attributes`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(add(item()) == errSecSuccess)
            for returns: [CFString: Any] in [
                [:], [kSecReturnRef: true], [kSecReturnPersistentRef: true],
                [kSecReturnRef: true, kSecReturnPersistentRef: true],
            ] {
                #expect(find(item(returns)).status == errSecSuccess)
            }
            for returns: [CFString: Any] in [
                [kSecReturnData: true], [kSecReturnAttributes: true],
                [kSecReturnAttributes: true, kSecReturnPersistentRef: true],
            ] {
                let found = find(item(returns))
                #expect(found.status == errSecItemNotFound && found.result == nil)
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a certificate whose key is refused is taken back, and one that was there stays`(transport: Transport) throws {
        try withKeychain(transport) {
            // Only the key can be refused this.
            let control = try #require(
                SecAccessControlCreateWithFlags(
                    nil,
                    kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                    .privateKeyUsage,
                    nil
                )
            )
            #expect(add(item([kSecAttrAccessControl: control])) == errSecUnimplemented)
            #expect(find(certificates()).status == errSecItemNotFound)
            add([kSecValueRef: certificate])
            #expect(add(item([kSecAttrAccessControl: control])) == errSecUnimplemented)
            try #expect(count(of: certificates()) == 1)
            #expect(find(keys()).status == errSecItemNotFound)
        }
    }

    // MARK: - Finding, changing, deleting

    @Test(arguments: Transport.allCases)
    func `it is found by its object, and another one is not`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(find(item()).status == errSecItemNotFound)
            add(item())
            let other = try authority.issue("Bob")
            let othersCertificate = try #require(SecCertificateCreateWithData(nil, Data(other.der) as CFData))
            let others = try #require(SecIdentityCreate(nil, othersCertificate, Self.privateKey(other.key)))
            #expect(find([kSecValueRef: others]).status == errSecItemNotFound)
            add([kSecValueRef: others])
            // Same key, same names, another serial number.
            add(try [kSecValueRef: anotherCertificate()])
            let query = item([kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll])
            #expect(CFEqual(find(query).result, [identity] as CFArray))
            try #expect(CFEqual(object([kSecValueRef: others]), others))
            let everything = find(identities([kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll])).result
            #expect((everything as? [SecIdentity])?.count == 3)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a public key that is stored beside the private one does not stand before it`(transport: Transport) throws {
        try withKeychain(transport) {
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            add([kSecValueRef: publicKey])
            add(item())
            for query in [identities(), identities([kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom]), item()] {
                try #expect(CFEqual(object(query), identity))
            }
            let all = find(identities([kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll])).result
            #expect((all as? [SecIdentity])?.count == 1)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a key with the hash of a certificate that is another's makes no object`(transport: Transport) throws {
        try withKeychain(transport) {
            add([kSecValueRef: certificate])
            let hash = try #require(attributes(of: certificates())["pkhh"] as? Data)
            let other = try Self.privateKey(P256.Signing.PrivateKey())
            add([kSecValueRef: other, kSecAttrApplicationLabel: hash])
            #expect(find(identities()).status == errSecSuccess)
            let outcome = resultAfter {
                SecItemCopyMatching(identities([kSecReturnRef: true]) as CFDictionary, $0)
            }
            #expect(outcome.status == errSecSuccess && outcome.result == nil && !outcome.isUntouched)
            var made: SecIdentity?
            #expect(SecIdentityCreateWithCertificate(nil, certificate, &made) == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a change by its object is one of both halves`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(update(item(), [kSecAttrLabel: "new"]) == errSecItemNotFound)
            add([kSecValueRef: key])
            #expect(update(item(), [kSecAttrLabel: "new"]) == errSecItemNotFound)
            try #expect(attributes(of: keys())["labl"] as? String != "new")
            add(item())
            add(try [kSecValueRef: anotherCertificate()])
            #expect(update(item(), [kSecAttrLabel: "new"]) == errSecSuccess)
            try #expect(attributes(of: keys())["labl"] as? String == "new")
            try #expect(allAttributes(of: certificates()).map { $0["labl"] as? String } == ["new", "Alice"])
            #expect(update(item(), [kSecAttrApplicationTag: "tag"]) == errSecNoSuchAttr)
            #expect(update(item(), [kSecValueData: Data()]) == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a deletion by its object keeps a key that another certificate uses`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(delete(item()) == errSecItemNotFound)
            add(item())
            let another = try anotherCertificate()
            let renewed = try #require(SecIdentityCreate(nil, another, key))
            add([kSecValueRef: renewed])
            #expect(delete(item()) == errSecSuccess)
            #expect(find(item()).status == errSecItemNotFound)
            try #expect(CFEqual(object([kSecValueRef: renewed]), renewed))
            #expect(delete([kSecValueRef: renewed]) == errSecSuccess)
            #expect(find(certificates()).status == errSecItemNotFound)
            #expect(find(keys()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the private key of a certificate is found in the keychain`(transport: Transport) throws {
        try withKeychain(transport) {
            var made: SecIdentity?
            #expect(SecIdentityCreateWithCertificate(nil, certificate, &made) == errSecItemNotFound)
            try add([kSecValueRef: #require(SecKeyCopyPublicKey(key))])
            #expect(SecIdentityCreateWithCertificate(nil, certificate, &made) == errSecItemNotFound)
            #expect(made == nil)
            add([kSecValueRef: key])
            #expect(SecIdentityCreateWithCertificate(nil, certificate, &made) == errSecSuccess)
            #expect(made == identity)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an identity that is preferred for a name is remembered until it is gone`(transport: Transport) throws {
        let host = "example.com" as CFString
        try withKeychain(transport) {
            #expect(SecIdentityCopyPreferred(host, nil, nil) == nil)
            #expect(SecIdentitySetPreferred(identity, host, nil) == errSecItemNotFound)
            #expect(SecIdentitySetPreferred(nil, host, nil) == errSecSuccess)
            add(item())
            for _ in 0..<2 { #expect(SecIdentitySetPreferred(identity, host, nil) == errSecSuccess) }
            #expect(SecIdentityCopyPreferred(host, nil, nil) == identity)
            #expect(SecIdentityCopyPreferred("example.org" as CFString, nil, nil) == nil)
            let issuer = try #require(SecCertificateCopyNormalizedIssuerSequence(certificate))
            #expect(SecIdentityCopyPreferred(host, nil, [issuer] as CFArray) == identity)
            #expect(SecIdentityCopyPreferred(host, nil, [Data([0x30, 0])] as CFArray) == nil)
            #expect(SecIdentitySetPreferred(nil, host, nil) == errSecSuccess)
            #expect(SecIdentityCopyPreferred(host, nil, nil) == nil)
            #expect(SecIdentitySetPreferred(identity, host, nil) == errSecSuccess)
            delete(item())
            #expect(SecIdentityCopyPreferred(host, nil, nil) == nil)
        }
    }

    // MARK: - Guarded keys

    @Test(arguments: Transport.allCases)
    func `a key in the Secure Enclave makes an identity with a certificate for it`(transport: Transport) throws {
        try withKeychain(transport) {
            let parameters =
                [
                    kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                ] as CFDictionary
            let key = try #require(SecKeyCreateRandomKey(parameters, nil))
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            let point = try #require(SecKeyCopyExternalRepresentation(publicKey, nil) as Data?)
            let der = try authority.certificate("Device", for: P256.Signing.PublicKey(x963Representation: point))
            let certificate = try #require(SecCertificateCreateWithData(nil, Data(der) as CFData))
            let identity = try #require(SecIdentityCreate(nil, certificate, key))
            // The key is there already.
            #expect(add([kSecValueRef: identity]) == errSecSuccess)
            let found = try object(identities())
            #expect(found == identity)
            var half: SecKey?
            SecIdentityCopyPrivateKey(found, &half)
            let message = Data("m".utf8) as CFData
            let signer = try #require(half)
            let signature = try #require(
                SecKeyCreateSignature(signer, .ecdsaSignatureMessageX962SHA256, message, nil)
            )
            #expect(
                SecKeyVerifySignature(publicKey, .ecdsaSignatureMessageX962SHA256, message, signature, nil)
            )
            // It leaves in no form; its certificate does.
            for format in [SecExternalFormat.formatPKCS12, .formatPEMSequence] {
                var file: CFData?
                #expect(SecItemExport(found, format, [], nil, &file) == errSecUnimplemented)
                #expect(file == nil)
            }
            var bundle: CFData?
            #expect(SecItemExport(found, .formatPKCS7, [], nil, &bundle) == errSecSuccess)
            // What stands for the key is not its data.
            let all = try #require(
                find(identities([kSecReturnData: true, kSecReturnAttributes: true])).result as? [String: Any]
            )
            #expect(all["v_Data"] == nil)
            #expect(find(identities([kSecReturnData: true])).result == nil)
            #expect(delete([kSecValueRef: identity]) == errSecSuccess)
            #expect(find(keys()).status == errSecItemNotFound)
            #expect(add([kSecValueRef: identity]) == errSecSuccess)
            try #expect(CFEqual(object(identities()), identity))
        }
    }

    @Test(arguments: Transport.allCases)
    func `an access control guards the key, and each search for the object asks for it`(transport: Transport) throws {
        let context = LAContext()
        try #require(context.setCredential(Data("open sesame".utf8), type: .applicationPassword))
        let wrong = LAContext()
        try #require(wrong.setCredential(Data("wrong".utf8), type: .applicationPassword))
        let control = try #require(
            SecAccessControlCreateWithFlags(
                nil,
                kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                .applicationPassword,
                nil
            )
        )
        try withKeychain(transport) {
            let guarded: [CFString: Any] = [
                kSecAttrAccessControl: control, kSecUseAuthenticationContext: context,
            ]
            #expect(add(item(guarded)) == errSecSuccess)
            try #expect(attributes(of: certificates())["pdmn"] as? String == "aku")
            try #expect(CFEqual(object(identities([kSecUseAuthenticationContext: context])), identity))
            let query = identities([kSecReturnRef: true])
            #expect(find(query.merging([kSecUseAuthenticationContext: wrong]) { $1 }).status == errSecAuthFailed)
            let silent: [CFString: Any] = [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]
            #expect(find(query.merging(silent) { $1 }).status == errSecInteractionNotAllowed)
            let skipping: [CFString: Any] = [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]
            #expect(find(query.merging(skipping) { $1 }).status == errSecItemNotFound)
            // Nobody has to be asked for its attributes.
            #expect(find(identities([kSecReturnAttributes: true])).status == errSecSuccess)
        }
    }
}
