import EnclaveInterface
import Foundation
import KeychainTestSupport
import LocalAuthentication
import Security
import Testing

@Suite("Keys in the Secure Enclave", .timeLimit(.minutes(10)))
struct EnclaveKeyTests {
    private let message = Data("a message".utf8)
    private static let tag = Data("org.example.key".utf8)

    private func control(
        _ flags: SecAccessControlCreateFlags = .privateKeyUsage,
        _ protection: CFString = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
    ) throws -> SecAccessControl {
        try #require(SecAccessControlCreateWithFlags(nil, protection, flags, nil))
    }

    private func parameters(
        _ control: SecAccessControl?,
        _ more: [CFString: Any] = [:]
    ) -> CFDictionary {
        var attributes: [CFString: Any] = [kSecAttrApplicationTag: Self.tag].merging(more) { $1 }
        if let control { attributes[kSecAttrAccessControl] = control }
        return [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecPrivateKeyAttrs: attributes,
        ] as [CFString: Any] as CFDictionary
    }

    private func make(_ control: SecAccessControl?, _ more: [CFString: Any] = [:]) throws -> SecKey {
        var error: Unmanaged<CFError>?
        let key = SecKeyCreateRandomKey(parameters(control, more), &error)
        return try #require(key, "\(String(describing: error?.takeRetainedValue()))")
    }

    private func refusal(_ body: (UnsafeMutablePointer<Unmanaged<CFError>?>) -> Any?) -> OSStatus? {
        var error: Unmanaged<CFError>?
        #expect(body(&error) == nil)
        return (error?.takeRetainedValue()).map { OSStatus($0.code) }
    }

    private func sign(_ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>? = nil) -> Data? {
        SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, message as CFData, error) as Data?
    }

    private func isValid(_ signature: Data?, by key: SecKey) throws -> Bool {
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        let signature = try #require(signature) as CFData
        return SecKeyVerifySignature(publicKey, .ecdsaSignatureMessageX962SHA256, message as CFData, signature, nil)
    }

    private func stored(_ more: [CFString: Any] = [:]) throws -> SecKey {
        let found = find(keys([kSecAttrApplicationTag: Self.tag, kSecReturnRef: true]).merging(more) { $1 })
        try #require(found.status == errSecSuccess)
        return try #require(found.result as? SecKey)
    }

    // MARK: - Over every transport

    @Test(arguments: Transport.allCases)
    func `a key signs, is found again, and signs then too`(transport: Transport) throws {
        try withKeychain(transport) {
            let key = try make(control())
            #expect(try isValid(sign(key), by: key))
            let found = try stored()
            #expect(found == key)
            #expect(try isValid(sign(found), by: key))
            // As openssl has it.
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            let point = try #require(SecKeyCopyExternalRepresentation(publicKey, nil) as Data?)
            #expect(point.count == 65)
            let signature = try #require(sign(found))
            #expect(try OpenSSL.verifies(signature, of: message, point: point))
            // All of the algorithms that such a key has.
            for algorithm: SecKeyAlgorithm in [
                .ecdsaSignatureMessageX962SHA1, .ecdsaSignatureMessageX962SHA384, .ecdsaSignatureMessageX962SHA512,
                .ecdsaSignatureMessageRFC4754SHA256,
            ] {
                let signature = try #require(SecKeyCreateSignature(key, algorithm, message as CFData, nil))
                #expect(SecKeyVerifySignature(publicKey, algorithm, message as CFData, signature, nil))
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a key decrypts, and agrees with others`(transport: Transport) throws {
        try withKeychain(transport) {
            let key = try make(control())
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            let ecies = SecKeyAlgorithm.eciesEncryptionCofactorVariableIVX963SHA256AESGCM
            #expect(SecKeyIsAlgorithmSupported(key, .decrypt, ecies))
            let ciphertext = try #require(SecKeyCreateEncryptedData(publicKey, ecies, message as CFData, nil))
            #expect(SecKeyCreateDecryptedData(key, ecies, ciphertext, nil) as Data? == message)
            let software: [CFString: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            ]
            let other = try #require(SecKeyCreateRandomKey(software as CFDictionary, nil))
            let otherPublic = try #require(SecKeyCopyPublicKey(other))
            let none = [:] as CFDictionary
            let mine = SecKeyCopyKeyExchangeResult(key, .ecdhKeyExchangeStandard, otherPublic, none, nil) as Data?
            let theirs = SecKeyCopyKeyExchangeResult(other, .ecdhKeyExchangeStandard, publicKey, none, nil) as Data?
            #expect(mine != nil && mine == theirs)
        }
    }

    @Test(arguments: Transport.allCases)
    func `no call gives the private key`(transport: Transport) throws {
        try withKeychain(transport) {
            let key = try make(control())
            #expect(refusal { SecKeyCopyExternalRepresentation(key, $0) } == errSecUnimplemented)
            let attributes = try #require(SecKeyCopyAttributes(key) as? [String: Any])
            #expect(attributes["v_Data"] == nil)
            #expect(attributes["tkid"] as? String == kSecAttrTokenIDSecureEnclave as String)
            #expect(CFGetTypeID(attributes["accc"] as CFTypeRef) == SecAccessControlGetTypeID())
            #expect(attributes["extr"] as? Int == 0)
            #expect(attributes["sens"] as? Int == 1)
            let query = keys([kSecAttrApplicationTag: Self.tag])
            #expect(find(query.merging([kSecReturnData: true]) { $1 }).result == nil)
            let all = query.merging([kSecReturnData: true, kSecReturnAttributes: true, kSecReturnRef: true]) { $1 }
            let item = try #require(find(all).result as? [String: Any])
            #expect(item["v_Data"] == nil)
            #expect(item["tkid"] as? String == kSecAttrTokenIDSecureEnclave as String)
            #expect(item["pdmn"] as? String == "aku")
            #expect(item["v_Ref"] as? SecKey == key)
            // What stands for the key, for whoever has it, makes the key again, and nothing else.
            let again = try #require(SecKeyCreateWithData(Data() as CFData, attributes as CFDictionary, nil))
            #expect(again == key)
            #expect(try isValid(sign(again), by: key))
            let other: [String: Any] = attributes.merging(["toid": Data([1, 2, 3])]) { $1 }
            #expect(refusal { SecKeyCreateWithData(Data() as CFData, other as CFDictionary, $0) } == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a key is stored unless it is not to be`(transport: Transport) throws {
        try withKeychain(transport) {
            let fleeting = try make(control(), [kSecAttrIsPermanent: false])
            #expect(find(keys()).status == errSecItemNotFound)
            #expect(try isValid(sign(fleeting), by: fleeting))
            #expect(find([kSecValueRef: fleeting]).status == errSecItemNotFound)
            // By hand, and once.
            #expect(add([kSecValueRef: fleeting, kSecAttrLabel: "by hand"]) == errSecSuccess)
            #expect(add([kSecValueRef: fleeting]) == errSecDuplicateItem)
            #expect(find([kSecValueRef: fleeting]).status == errSecSuccess)
            #expect(try attributes(of: [kSecValueRef: fleeting])["labl"] as? String == "by hand")
            #expect(delete([kSecValueRef: fleeting]) == errSecSuccess)
            #expect(find(keys()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `both halves are stored where both are to be`(transport: Transport) throws {
        try withKeychain(transport) {
            let parameters: [CFString: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                kSecPrivateKeyAttrs: try [kSecAttrAccessControl: control()] as [CFString: Any],
                kSecPublicKeyAttrs: [kSecAttrIsPermanent: true, kSecAttrLabel: "public"] as [CFString: Any],
            ]
            let key = try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
            let items = try allAttributes(of: keys())
            #expect(items.count == 2)
            let publicItem = try attributes(of: keys([kSecAttrKeyClass: kSecAttrKeyClassPublic]))
            #expect(publicItem["labl"] as? String == "public")
            #expect(publicItem["tkid"] == nil)
            let label = try #require(SecKeyCopyAttributes(key) as? [String: Any])["klbl"] as? Data
            #expect(items.allSatisfy { $0["klbl"] as? Data == label })
        }
    }

    @Test(arguments: Transport.allCases)
    func `of a stored key nothing can be changed that it was made with`(transport: Transport) throws {
        try withKeychain(transport, groups: ["test.default", "test.other"]) {
            let key = try make(control())
            let query = keys([kSecAttrApplicationTag: Self.tag])
            #expect(update(query, [kSecAttrLabel: "another label"]) == errSecSuccess)
            let changes: [[CFString: Any]] = try [
                [kSecAttrAccessGroup: "test.other"], [kSecAttrAccessible: kSecAttrAccessibleAlways],
                [kSecAttrAccessControl: control([])], [kSecValueData: Data([1])], [kSecAttrTokenID: ""],
                [kSecAttrSynchronizable: true],
            ]
            for change in changes { #expect(update(query, change) == errSecParam, "\(change)") }
            #expect(try isValid(sign(stored()), by: key))
            // And no other item becomes such a key.
            #expect(
                add(keys([kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecValueData: Data([1])])) == errSecParam
            )
            #expect(add([kSecValueRef: key, kSecAttrAccessGroup: "test.other"]) == errSecParam)
            let other = try control([])
            #expect(add([kSecValueRef: key, kSecAttrAccessControl: other]) == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases)
    func `what is no key of the Secure Enclave is a wrong parameter`(transport: Transport) throws {
        try withKeychain(transport) {
            func make(_ more: [CFString: Any]) -> OSStatus? {
                var all = parameters(nil) as! [CFString: Any]
                all.merge(more) { $1 }
                return refusal { SecKeyCreateRandomKey(all as CFDictionary, $0) }
            }
            #expect(make([kSecAttrKeySizeInBits: 384]) == errSecParam)
            #expect(make([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048]) == errSecParam)
            #expect(make([kSecAttrTokenID: "com.example.token"]) == errSecParam)
            #expect(make([kSecPrivateKeyAttrs: [kSecAttrAccessControl: "none"]]) == errSecParam)
            #expect(make([kSecPrivateKeyAttrs: [kSecAttrAccessGroup: "foreign"]]) == errSecMissingEntitlement)
            // Demands that are not about the use of the key would guard nothing.
            let reading = try control(.userPresence)
            #expect(make([kSecPrivateKeyAttrs: [kSecAttrAccessControl: reading]]) == errSecParam)
            #expect(find(keys()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: [Transport.memory, .embedded, .session, .system].filter { Transport.allCases.contains($0) })
    func `another program uses a key where it has the key's group, and not otherwise`(transport: Transport) throws {
        let fixture = try KeychainFixture(transport)
        let attributes = try fixture.asProgram(groups: ["test.one", "test.shared"]) {
            let own = try make(control(), [kSecAttrAccessGroup: "test.one"])
            let shared = try make(control(), [kSecAttrAccessGroup: "test.shared"])
            return try [own, shared].map { try #require(SecKeyCopyAttributes($0)) }
        }
        try fixture.asProgram(groups: ["test.shared"]) {
            let own = try #require(SecKeyCreateWithData(Data() as CFData, attributes[0], nil))
            #expect(refusal { sign(own, $0) } == errSecMissingEntitlement)
            let shared = try #require(SecKeyCreateWithData(Data() as CFData, attributes[1], nil))
            #expect(try isValid(sign(shared), by: shared))
            #expect(try isValid(sign(stored()), by: shared))
        }
    }

    // MARK: - Presence

    @Test(arguments: Transport.allCases)
    func `the person is asked at each use of a key that demands it, and not when it is found`(
        transport: Transport
    ) throws {
        let keychain = try AttendedKeychain(transport)
        try keychain.run {
            let key = try make(control([.privateKeyUsage, .userPresence]))
            let found = try stored()
            #expect(SecKeyCopyPublicKey(found) == SecKeyCopyPublicKey(key))
            #expect(keychain.person.dialogs == 0)
            keychain.person.answer(.secret("open sesame"))
            #expect(try isValid(sign(found), by: key))
            #expect(keychain.person.dialogs == 1)
            keychain.person.answer(.no)
            #expect(refusal { sign(found, $0) } == errSecUserCanceled)
            keychain.person.answer(.secret("open sesame"))
            #expect(try isValid(sign(key), by: key))
            #expect(keychain.person.dialogs == 3)
            let silent = try stored([kSecUseAuthenticationUI: kSecUseAuthenticationUIFail])
            #expect(refusal { sign(silent, $0) } == errSecInteractionNotAllowed)
            #expect(keychain.person.dialogs == 3)
        }
    }

    /// The `LAError` under the error with which a signature fails.
    private func cause(of key: SecKey) throws -> (status: OSStatus, reason: LAError) {
        var error: Unmanaged<CFError>?
        #expect(sign(key, &error) == nil)
        let object = try #require(error?.takeRetainedValue()) as NSError
        let cause = try #require(object.userInfo[NSUnderlyingErrorKey] as? NSError)
        return (OSStatus(object.code), try #require((cause as any Error) as? LAError))
    }

    @Test(arguments: Transport.allCases)
    func `under the error of a key lies what the person did, or why nobody could be asked`(
        transport: Transport
    ) throws {
        let keychain = try AttendedKeychain(transport)
        try keychain.run {
            let key = try make(control([.privateKeyUsage, .devicePasscode]))
            keychain.person.answer(.no)
            var (status, reason) = try cause(of: key)
            #expect((status, reason.code) == (errSecUserCanceled, .userCancel))
            #expect(reason.localizedDescription == "The person said no.")
            keychain.person.answer(.secret("a"), .secret("b"), .secret("c"))
            (status, reason) = try cause(of: key)
            #expect((status, reason.code) == (errSecAuthFailed, .authenticationFailed))
            (status, reason) = try cause(of: stored([kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]))
            #expect((status, reason.code) == (errSecInteractionNotAllowed, .notInteractive))
            // A wrong signature is no matter of presence.
            var error: Unmanaged<CFError>?
            #expect(SecKeyCreateSignature(key, .rsaSignatureRaw, message as CFData, &error) == nil)
            let object = try #require(error?.takeRetainedValue()) as NSError
            #expect(object.userInfo[NSUnderlyingErrorKey] == nil)
        }
    }

    @Test(arguments: Transport.lockableAtNoCost)
    func `where there is no passcode, the error of a key and that of a policy say so, and what helps`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            let key = try make(control([.privateKeyUsage, .userPresence]))
            let (status, reason) = try cause(of: key)
            #expect((status, reason.code) == (errSecAuthFailed, .passcodeNotSet))
            #expect(reason.localizedDescription.contains("chatelaine passcode set"))
            var refusal: NSError?
            #expect(!LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: &refusal))
            #expect((refusal as? LAError)?.code == .passcodeNotSet)
            #expect(refusal?.localizedDescription == "There is no passcode.")
            #expect(refusal?.localizedFailureReason == reason.localizedDescription)
        }
    }

    @Test(arguments: Transport.allCases)
    func `what is proved in a key's context counts for each use of the key`(transport: Transport) throws {
        let keychain = try AttendedKeychain(transport, .secret("open sesame"))
        try keychain.run {
            let key = try make(control([.privateKeyUsage, .devicePasscode]))
            let context = LAContext()
            context.localizedReason = "Sign the letters"
            let found = try stored([kSecUseAuthenticationContext: context])
            #expect(try isValid(sign(found), by: key))
            #expect(try isValid(sign(found), by: key))
            #expect(keychain.person.dialogs == 1)
            #expect(keychain.person.shown.contains("Sign the letters"))
            context.interactionNotAllowed = true
            #expect(try isValid(sign(found), by: key))
            context.invalidate()
            #expect(refusal { sign(found, $0) } == errSecInteractionNotAllowed)
            #expect(keychain.person.dialogs == 1)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an application password opens a key's use, and a wrong one does not`(transport: Transport) throws {
        try withKeychain(transport) {
            let flags: SecAccessControlCreateFlags = [.privateKeyUsage, .applicationPassword]
            func context(_ password: String?) -> LAContext {
                let context = LAContext()
                context.interactionNotAllowed = true
                if let password { context.setCredential(Data(password.utf8), type: .applicationPassword) }
                return context
            }
            let made = try parameters(control(flags), [kSecUseAuthenticationContext: context("right")])
            let key = try #require(SecKeyCreateRandomKey(made, nil))
            #expect(try isValid(sign(key), by: key))
            let wronged = try stored([kSecUseAuthenticationContext: context("wrong")])
            #expect(refusal { sign(wronged, $0) } == errSecAuthFailed)
            let silent = try stored([kSecUseAuthenticationContext: context(nil)])
            #expect(refusal { sign(silent, $0) } == errSecInteractionNotAllowed)
            #expect(try isValid(sign(stored([kSecUseAuthenticationContext: context("right")])), by: key))
        }
    }

    @Test(arguments: Transport.lockableAtNoCost)
    func `a key can be used while its class is unlocked`(transport: Transport) throws {
        let fixture = try KeychainFixture(transport, isLockable: true)
        let owner = try #require(try fixture.control())
        try owner.changePasscode(from: nil, to: AttendedKeychain.passcode)
        try fixture.asProgram(groups: ["test.default"]) {
            let whenUnlocked = try make(control(), [kSecAttrApplicationTag: Data([1])])
            let afterwards = try make(
                control(.privateKeyUsage, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly),
                [kSecAttrApplicationTag: Data([2])]
            )
            try owner.lock()
            #expect(refusal { sign(whenUnlocked, $0) } == errSecInteractionNotAllowed)
            #expect(try isValid(sign(afterwards), by: afterwards))
            #expect(refusal { SecKeyCreateRandomKey(parameters(try? control()), $0) } == errSecInteractionNotAllowed)
            try owner.logOut()
            #expect(refusal { sign(afterwards, $0) } == errSecInteractionNotAllowed)
            try owner.unlock(AttendedKeychain.passcode)
            #expect(try isValid(sign(whenUnlocked), by: whenUnlocked))
        }
    }
}
