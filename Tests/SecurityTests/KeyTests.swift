import Foundation
import KeychainTestSupport
import Security
import Testing

@Suite("Keys as objects")
struct KeyTests {
    private static let p256 = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    private static let p521 = ["ec", "-pkeyopt", "ec_paramgen_curve:P-521"]

    private func key(_ kind: [String] = p256) throws -> SecKey {
        let data = try OpenSSL.certificate("/CN=Alice", key: kind)
        let certificate = try #require(SecCertificateCreateWithData(nil, data as CFData))
        return try #require(SecCertificateCopyKey(certificate))
    }

    private func bytes(_ key: SecKey) throws -> Data {
        try #require(SecKeyCopyExternalRepresentation(key, nil) as Data?)
    }

    /// The code of the error that a function leaves; nil where it leaves none.
    private func code(_ body: (UnsafeMutablePointer<Unmanaged<CFError>?>) -> Any?) -> (result: Any?, code: OSStatus?) {
        var error: Unmanaged<CFError>?
        let result = body(&error)
        let object = error?.takeRetainedValue()
        if let object { #expect(object.domain == NSOSStatusErrorDomain) }
        return (result, object.map { OSStatus($0.code) })
    }

    private func refusal(_ body: (UnsafeMutablePointer<Unmanaged<CFError>?>) -> Any?) -> OSStatus? {
        let outcome = code(body)
        #expect(outcome.result == nil)
        return outcome.code
    }

    // MARK: - Public keys

    @Test
    func `a public key is its own public key`() throws {
        let key = try key()
        #expect(SecKeyCopyPublicKey(key) == key)
        #expect(CFGetTypeID(key) == SecKeyGetTypeID())
        #expect(SecKeyGetTypeID() != SecCertificateGetTypeID())
    }

    @Test
    func `keys are equal when their numbers are`() throws {
        let key = try key()
        let attributes = try #require(SecKeyCopyAttributes(key))
        let again = try #require(SecKeyCreateWithData(bytes(key) as CFData, attributes, nil))
        #expect(again == key)
        #expect(again !== key)
        #expect(again.hash == key.hash)
        #expect(try self.key() != key)
    }

    @Test(
        arguments: [(["rsa:2048"], "42", 2048, 256, true), (p256, "73", 256, 32, false), (p521, "73", 521, 66, false)]
            as [([String], String, Int, Int, Bool)]
    )
    func `the attributes say type, class, size, label and uses`(
        kind: [String],
        type: String,
        size: Int,
        block: Int,
        isRSA: Bool
    ) throws {
        let key = try key(kind)
        #expect(SecKeyGetBlockSize(key) == block)
        let attributes = try #require(SecKeyCopyAttributes(key) as? [String: Any])
        #expect(attributes["type"] as? String == type)
        #expect(attributes["kcls"] as? String == kSecAttrKeyClassPublic as String)
        #expect(attributes["bsiz"] as? Int == size)
        #expect(attributes["esiz"] as? Int == size)
        #expect(attributes["v_Data"] as? Data == (try bytes(key)))
        #expect((attributes["klbl"] as? Data)?.count == 20)
        let yes = Set(["encr", "vrfy", "wrap", "extr", "modi", "perm", "priv"] + (isRSA ? ["decr"] : []))
        let flags = yes.union(["decr", "drve", "sign", "unwp", "snrc", "vyrc", "sens", "asen", "next"])
        for flag in flags {
            #expect(attributes[flag] as? Int == (yes.contains(flag) ? 1 : 0), "\(flag)")
            #expect(attributes[flag] as? Bool == yes.contains(flag), "\(flag)")
            let value = try #require(attributes[flag] as? NSObject)
            #expect(CFEqual(value, yes.contains(flag) ? kCFBooleanTrue : kCFBooleanFalse), "\(flag)")
        }
    }

    @Test
    func `a description has the numbers in hexadecimal`() throws {
        let curve = try key()
        let point = try bytes(curve).map { String(format: "%02X", $0) }.joined()
        let expected =
            "<SecKeyRef curve type: kSecECCurveSecp256r1, algorithm id: 3, key type: ECPublicKey, version: 4, "
            + "block size: 256 bits, y: \(point.suffix(64)), x: \(point.dropFirst(2).prefix(64)), addr"
        // The address comes last.
        #expect(curve.description.dropLast(17) == expected)
        #expect(curve.description.hasSuffix(">"))
        let rsa = try key(["rsa:1024"])
        #expect(
            rsa.description.hasPrefix(
                "<SecKeyRef algorithm id: 1, key type: RSAPublicKey, version: 4, 1024 bits (block size: 128), "
                    + "exponent: {hex: 10001, decimal: 65537}, modulus: "
            )
        )
        #expect(try key(Self.p521).description.contains("block size: 528 bits"))
    }

    // MARK: - Making keys of data

    @Test
    func `type and class may be numbers or their text`() throws {
        let point = try bytes(key()) as CFData
        for (type, keyClass) in [("73", "0"), (73, 0), ("73", 0)] as [(Any, Any)] {
            let attributes: [CFString: Any] = [kSecAttrKeyType: type, kSecAttrKeyClass: keyClass]
            #expect(SecKeyCreateWithData(point, attributes as CFDictionary, nil) != nil)
        }
    }

    @Test
    func `data that is no key of the type, or a type or class that there is not, is a wrong parameter`() throws {
        let point = try bytes(key())
        let cases: [(Data, [CFString: Any])] = [
            (Data(), [kSecAttrKeyType: "73", kSecAttrKeyClass: "0"]),
            (point.dropLast(), [kSecAttrKeyType: "73", kSecAttrKeyClass: "0"]),
            (point + [0], [kSecAttrKeyType: "73", kSecAttrKeyClass: "0"]),
            (point, [kSecAttrKeyType: "42", kSecAttrKeyClass: "0"]),
            (point, [kSecAttrKeyType: "73"]), (point, [kSecAttrKeyClass: "0"]), (point, [:]),
            (point, [kSecAttrKeyType: "073", kSecAttrKeyClass: "0"]),
            (point, [kSecAttrKeyType: "9999", kSecAttrKeyClass: "0"]),
            (point, [kSecAttrKeyType: "73", kSecAttrKeyClass: "7"]),
            (point, [kSecAttrKeyType: "73", kSecAttrKeyClass: Data()]),
            (point, [kSecAttrKeyClass: "1"]), (point, [kSecAttrKeyType: "9999", kSecAttrKeyClass: "1"]),
        ]
        for (data, attributes) in cases {
            #expect(
                refusal { SecKeyCreateWithData(data as CFData, attributes as CFDictionary, $0) } == errSecParam,
                "\(attributes)"
            )
        }
    }

    @Test
    func `private keys that openssl has made are taken, and come out as they went in`() throws {
        let rsa = try OpenSSL.privateKey(["genrsa", "-traditional", "2048"])
        let der = try OpenSSL.privateKey(["ecparam", "-name", "prime256v1", "-genkey", "-noout"])
        // ECPrivateKey (RFC 5915): the number is behind seven bytes, the point at the end.
        let curve = der.suffix(65) + der.dropFirst(7).prefix(32)
        for (type, bytes) in [(kSecAttrKeyTypeRSA, rsa), (kSecAttrKeyTypeEC, curve)] {
            let attributes: [CFString: Any] = [kSecAttrKeyType: type, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
            func status(_ bytes: Data) -> OSStatus? {
                refusal { SecKeyCreateWithData(bytes as CFData, attributes as CFDictionary, $0) }
            }
            let key = try #require(SecKeyCreateWithData(bytes as CFData, attributes as CFDictionary, nil))
            #expect(try self.bytes(key) == bytes)
            let about = try #require(SecKeyCopyAttributes(key) as? [String: Any])
            #expect(about["kcls"] as? String == kSecAttrKeyClassPrivate as String)
            #expect(about["v_Data"] as? Data == bytes)
            let again = try #require(SecKeyCreateWithData(bytes as CFData, about as CFDictionary, nil))
            #expect(again == key)
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            #expect(publicKey != key)
            #expect((SecKeyCopyAttributes(publicKey) as? [String: Any])?["klbl"] as? Data == about["klbl"] as? Data)
            #expect(!key.description.contains(bytes.suffix(8).map { String(format: "%02X", $0) }.joined()))
            for wrong in [Data(), Data([4]), bytes.dropLast(), bytes + [0], bytes.prefix(65)] {
                #expect(status(Data(wrong)) == errSecParam)
            }
        }
    }

    @Test
    func `symmetric keys are not implemented`() {
        let attributes: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeAES, kSecAttrKeyClass: "2"]
        #expect(
            refusal { SecKeyCreateWithData(Data(count: 16) as CFData, attributes as CFDictionary, $0) }
                == errSecUnimplemented
        )
    }

    // MARK: - Making new keys

    @available(*, deprecated)
    @Test
    func `a new key of a type or a size that there is not is a wrong parameter`() {
        let cases: [([CFString: Any], OSStatus)] = [
            ([:], errSecParam), ([kSecAttrKeyType: kSecAttrKeyTypeRSA], errSecParam),
            ([kSecAttrKeySizeInBits: 2048], errSecParam),
            ([kSecAttrKeyType: "9999", kSecAttrKeySizeInBits: 2048], errSecParam),
            ([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 511], errSecParam),
            ([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 8193], errSecParam),
            ([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: "many"], errSecParam),
            ([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 257], errSecParam),
            ([kSecPrivateKeyAttrs: [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256]], errSecParam),
            (
                [
                    kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 256,
                    kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                ], errSecParam
            ),
            // What Apple has, and what is composed here has not.
            ([kSecAttrKeyType: 42, kSecAttrKeySizeInBits: "1023"], errSecUnimplemented),
            ([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 192], errSecUnimplemented),
        ]
        for (parameters, status) in cases {
            #expect(refusal { SecKeyCreateRandomKey(parameters as CFDictionary, $0) } == status, "\(parameters)")
            var publicKey: SecKey?
            var privateKey: SecKey?
            #expect(SecKeyGeneratePair(parameters as CFDictionary, &publicKey, &privateKey) == status)
            #expect(publicKey == nil && privateKey == nil)
        }
    }

    @available(*, deprecated)
    @Test(arguments: [("73", 256), ("73", 384), ("73", 521), ("42", 2048)])
    func `a new pair signs and verifies by both families of functions`(type: String, size: Int) throws {
        let parameters = [kSecAttrKeyType: type, kSecAttrKeySizeInBits: size] as [CFString: Any] as CFDictionary
        var publicKey: SecKey?
        var privateKey: SecKey?
        #expect(SecKeyGeneratePair(parameters, &publicKey, &privateKey) == errSecSuccess)
        let (mine, others) = (try #require(privateKey), try #require(publicKey))
        #expect(SecKeyCopyPublicKey(mine) == others)
        let message = Data("a message".utf8) as CFData
        let algorithm: SecKeyAlgorithm =
            type == "42" ? .rsaSignatureMessagePSSSHA256 : .ecdsaSignatureMessageX962SHA512
        let signature = try #require(SecKeyCreateSignature(mine, algorithm, message, nil))
        #expect(SecKeyVerifySignature(others, algorithm, message, signature, nil))
        let wrong = code { SecKeyVerifySignature(others, algorithm, Data([1]) as CFData, signature, $0) }
        #expect(wrong.result as? Bool == false && wrong.code == errSecVerifyFailed)
        #expect(code { SecKeyVerifySignature(mine, algorithm, message, signature, $0) }.code == errSecParam)
        #expect(refusal { SecKeyCreateSignature(others, algorithm, message, $0) } == errSecParam)

        let digest = [UInt8](repeating: 7, count: 32)
        var room = [UInt8](repeating: 0, count: 300)
        var length = room.count
        #expect(SecKeyRawSign(mine, .PKCS1SHA256, digest, 32, &room, &length) == errSecSuccess)
        #expect(SecKeyRawVerify(others, .PKCS1SHA256, digest, 32, room, length) == errSecSuccess)
        #expect(SecKeyRawVerify(others, .PKCS1SHA256, digest, 32, room, length - 1) == errSSLCrypto)
        #expect(SecKeyRawVerify(others, .PKCS1SHA256, digest, 32, room, 0) == errSSLCrypto)
        #expect(SecKeyRawSign(mine, .PKCS1SHA256, digest, 31, &room, &length) == errSecParam)
        var little = 10
        #expect(SecKeyRawSign(mine, .PKCS1SHA256, digest, 32, &room, &little) == errSecParam)
        #expect(little == 10)
    }

    @available(*, deprecated)
    @Test
    func `RSA decrypts what was encrypted by both families of functions`() throws {
        let parameters = [kSecAttrKeyType: "42", kSecAttrKeySizeInBits: 2048] as [CFString: Any] as CFDictionary
        let key = try #require(SecKeyCreateRandomKey(parameters, nil))
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        let message = Data("a message".utf8)
        for algorithm: SecKeyAlgorithm in [.rsaEncryptionPKCS1, .rsaEncryptionOAEPSHA256, .rsaEncryptionOAEPSHA1AESGCM]
        {
            let ciphertext = try #require(SecKeyCreateEncryptedData(publicKey, algorithm, message as CFData, nil))
            #expect(SecKeyCreateDecryptedData(key, algorithm, ciphertext, nil) as Data? == message)
            #expect(refusal { SecKeyCreateDecryptedData(publicKey, algorithm, ciphertext, $0) } == errSecParam)
            #expect(refusal { SecKeyCreateEncryptedData(key, algorithm, message as CFData, $0) } == errSecParam)
        }
        for padding in [.PKCS1, .OAEP] as [SecPadding] {
            var room = [UInt8](repeating: 0, count: 256)
            var length = room.count
            #expect(SecKeyEncrypt(publicKey, padding, Array(message), message.count, &room, &length) == errSecSuccess)
            var opened = [UInt8](repeating: 0, count: 256)
            var size = opened.count
            #expect(SecKeyDecrypt(key, padding, room, length, &opened, &size) == errSecSuccess)
            #expect(Data(opened.prefix(size)) == message)
            room[200] ^= 1
            #expect(SecKeyDecrypt(key, padding, room, length, &opened, &size) != errSecSuccess)
        }
    }

    @available(*, deprecated)
    @Test
    func `an RSA public key opens a signature, and says that it decrypts`() throws {
        let parameters = [kSecAttrKeyType: "42", kSecAttrKeySizeInBits: 2048] as [CFString: Any] as CFDictionary
        let key = try #require(SecKeyCreateRandomKey(parameters, nil))
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        let digest = Data(repeating: 7, count: 32)
        let signature = try #require(
            SecKeyCreateSignature(key, .rsaSignatureDigestPKCS1v15SHA256, digest as CFData, nil) as Data?
        )
        var opened = [UInt8](repeating: 0, count: 256)
        var size = opened.count
        #expect(SecKeyDecrypt(publicKey, [], Array(signature), 256, &opened, &size) == errSecSuccess)
        // Without the zero in front.
        #expect(size == 255 && opened.prefix(2) == [1, 0xFF])
        #expect(opened[..<size].suffix(32).elementsEqual(digest))
        let whole = SecKeyCreateDecryptedData(publicKey, .rsaEncryptionRaw, signature as CFData, nil) as Data?
        #expect(whole?.dropFirst() == Data(opened.prefix(size)))
        let opening: [SecKeyAlgorithm] = [
            .rsaEncryptionRaw, .rsaEncryptionPKCS1, .rsaEncryptionOAEPSHA1, .rsaEncryptionOAEPSHA224,
            .rsaEncryptionOAEPSHA256,
        ]
        for algorithm in opening { #expect(SecKeyIsAlgorithmSupported(publicKey, .decrypt, algorithm)) }
        #expect(!SecKeyIsAlgorithmSupported(publicKey, .decrypt, .rsaEncryptionOAEPSHA384))
        #expect(!SecKeyIsAlgorithmSupported(publicKey, .decrypt, .rsaEncryptionOAEPSHA1AESGCM))
    }

    @Test
    func `everything that RSA does not decrypt is one error, in one text`() throws {
        let parameters = [kSecAttrKeyType: "42", kSecAttrKeySizeInBits: 2048] as [CFString: Any] as CFDictionary
        let key = try #require(SecKeyCreateRandomKey(parameters, nil))
        let text = "The operation couldn\u{2019}t be completed. (OSStatus error -50 - RSAdecrypt wrong input (err -27))"
        for algorithm: SecKeyAlgorithm in [.rsaEncryptionPKCS1, .rsaEncryptionOAEPSHA256, .rsaEncryptionOAEPSHA1AESGCM]
        {
            for wrong in [Data(), Data(count: 10), Data(repeating: 1, count: 256), Data(repeating: 0xFF, count: 300)] {
                var error: Unmanaged<CFError>?
                #expect(SecKeyCreateDecryptedData(key, algorithm, wrong as CFData, &error) == nil)
                let object = try #require(error?.takeRetainedValue())
                #expect(CFErrorGetDomain(object) as String == NSOSStatusErrorDomain)
                #expect(CFErrorGetCode(object) == Int(errSecParam))
                #expect(CFErrorCopyDescription(object) as String? == text)
            }
        }
    }

    @Test
    func `an RSA public key is made of its SubjectPublicKeyInfo too, and one on a curve is not`() throws {
        for (kind, type) in [(["rsa:2048"], kSecAttrKeyTypeRSA), (Self.p256, kSecAttrKeyTypeEC)] {
            let key = try key(kind)
            let attributes = [kSecAttrKeyType: type, kSecAttrKeyClass: kSecAttrKeyClassPublic] as CFDictionary
            var exported: CFData?
            #expect(SecItemExport(key, .formatOpenSSL, .pemArmour, nil, &exported) == errSecSuccess)
            let pem = try #require(exported) as Data
            let lines = String(decoding: pem, as: UTF8.self).split(separator: "\n")
            let info = try #require(Data(base64Encoded: lines.dropFirst().dropLast().joined()))
            let made = SecKeyCreateWithData(info as CFData, attributes, nil)
            #expect(made == (type == kSecAttrKeyTypeRSA ? key : nil))
            if made == nil {
                #expect(refusal { SecKeyCreateWithData(info as CFData, attributes, $0) } == errSecParam)
            }
            for wrong in [info + [0], info.dropLast()] {
                #expect(refusal { SecKeyCreateWithData(wrong as CFData, attributes, $0) } == errSecParam)
            }
        }
    }

    @Test
    func `the key of an Ed25519 certificate is an object that does nothing`() throws {
        let key = try key(["ed25519"])
        #expect(try bytes(key).count == 32)
        #expect(SecKeyGetBlockSize(key) == 32)
        let about = try #require(SecKeyCopyAttributes(key) as? [String: Any])
        #expect(about["type"] as? String == "105")
        #expect(about["bsiz"] as? Int == 256)
        #expect(about["encr"] as? Bool == false)
        #expect(SecKeyCopyPublicKey(key) == key)
        #expect(try self.key(["ed25519"]) != key)
        #expect(key.description.contains("Ed25519PublicKey"))
        let operations: [SecKeyOperationType] = [.sign, .verify, .encrypt, .decrypt, .keyExchange]
        for algorithm: SecKeyAlgorithm in [.ecdsaSignatureMessageX962SHA512, .rsaEncryptionRaw] {
            for operation in operations { #expect(!SecKeyIsAlgorithmSupported(key, operation, algorithm)) }
        }
        let data = Data([1]) as CFData
        #expect(
            code { SecKeyVerifySignature(key, .ecdsaSignatureMessageX962SHA512, data, data, $0) }.code == errSecParam
        )
    }

    // MARK: - Operations

    @Test
    func `what takes a private key refuses a public one, and an algorithm of another type is refused`() throws {
        let key = try key()
        let data = Data([1]) as CFData
        #expect(refusal { SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, data, $0) } == errSecParam)
        let ecies = SecKeyAlgorithm.eciesEncryptionStandardX963SHA256AESGCM
        #expect(refusal { SecKeyCreateDecryptedData(key, ecies, data, $0) } == errSecParam)
        let exchange = SecKeyAlgorithm.ecdhKeyExchangeStandard
        #expect(refusal { SecKeyCopyKeyExchangeResult(key, exchange, key, [:] as CFDictionary, $0) } == errSecParam)
        #expect(SecKeyCreateEncryptedData(key, ecies, data, nil) != nil)
        #expect(refusal { SecKeyCreateEncryptedData(key, .rsaEncryptionPKCS1, data, $0) } == errSecParam)
        var outcome = code { SecKeyVerifySignature(key, .ecdsaSignatureMessageX962SHA256, data, data, $0) }
        #expect(outcome.result as? Bool == false)
        #expect(outcome.code == errSecVerifyFailed)
        outcome = code { SecKeyVerifySignature(key, .rsaSignatureMessagePSSSHA256, data, data, $0) }
        #expect(outcome.result as? Bool == false)
        #expect(outcome.code == errSecParam)
        let unknown = SecKeyAlgorithm(rawValue: "algid:sign:unknown" as CFString)
        #expect(code { SecKeyVerifySignature(key, unknown, data, data, $0) }.code == errSecParam)
        for operation in [.sign, .encrypt, .decrypt, .keyExchange] as [SecKeyOperationType] {
            #expect(!SecKeyIsAlgorithmSupported(key, operation, .ecdsaSignatureMessageX962SHA256))
        }
        #expect(SecKeyIsAlgorithmSupported(key, .verify, .ecdsaSignatureMessageX962SHA256))
    }

    @Test
    func `an exchange with derivation needs a size`() throws {
        let parameters = [kSecAttrKeyType: "73", kSecAttrKeySizeInBits: 384] as [CFString: Any] as CFDictionary
        let (one, two) = (
            try #require(SecKeyCreateRandomKey(parameters, nil)), try #require(SecKeyCreateRandomKey(parameters, nil))
        )
        let algorithm = SecKeyAlgorithm.ecdhKeyExchangeStandardX963SHA384
        let (first, second) = (try #require(SecKeyCopyPublicKey(one)), try #require(SecKeyCopyPublicKey(two)))
        let wanted =
            [
                SecKeyKeyExchangeParameter.requestedSize.rawValue: 40,
                SecKeyKeyExchangeParameter.sharedInfo.rawValue: Data([1, 2]),
            ] as [CFString: Any] as CFDictionary
        let mine = SecKeyCopyKeyExchangeResult(one, algorithm, second, wanted, nil) as Data?
        let theirs = SecKeyCopyKeyExchangeResult(two, algorithm, first, wanted, nil) as Data?
        #expect(mine?.count == 40 && mine == theirs)
        let none = [:] as CFDictionary
        #expect(refusal { SecKeyCopyKeyExchangeResult(one, algorithm, second, none, $0) } == errSecParam)
    }
}
