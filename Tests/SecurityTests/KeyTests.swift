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
        for flag in flags { #expect(attributes[flag] as? Int == (yes.contains(flag) ? 1 : 0), "\(flag)") }
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
    func `private keys are not implemented, and bytes that are none are a wrong parameter`() throws {
        let rsa = try OpenSSL.privateKey(["genrsa", "-traditional", "1024"])
        let der = try OpenSSL.privateKey(["ecparam", "-name", "prime256v1", "-genkey", "-noout"])
        // ECPrivateKey (RFC 5915): the number is behind seven bytes, the point at the end.
        let curve = der.suffix(65) + der.dropFirst(7).prefix(32)
        for (type, bytes) in [(kSecAttrKeyTypeRSA, rsa), (kSecAttrKeyTypeEC, curve)] {
            let attributes: [CFString: Any] = [kSecAttrKeyType: type, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
            func status(_ bytes: Data) -> OSStatus? {
                refusal { SecKeyCreateWithData(bytes as CFData, attributes as CFDictionary, $0) }
            }
            #expect(status(bytes) == errSecUnimplemented)
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
    func `a new key of a type or a size that there is not is a wrong parameter, and any other is not implemented`() {
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
            ([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048], errSecUnimplemented),
            ([kSecAttrKeyType: 42, kSecAttrKeySizeInBits: "1023"], errSecUnimplemented),
            ([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 521], errSecUnimplemented),
            (
                [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrTokenID: kSecAttrTokenIDSecureEnclave],
                errSecUnimplemented
            ),
        ]
        for (parameters, status) in cases {
            #expect(refusal { SecKeyCreateRandomKey(parameters as CFDictionary, $0) } == status, "\(parameters)")
            var publicKey: SecKey?
            var privateKey: SecKey?
            #expect(SecKeyGeneratePair(parameters as CFDictionary, &publicKey, &privateKey) == status)
            #expect(publicKey == nil && privateKey == nil)
        }
    }

    // MARK: - Operations

    @Test
    func `what takes a private key refuses a public one, and the rest is not implemented`() throws {
        let key = try key()
        let data = Data([1]) as CFData
        #expect(refusal { SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, data, $0) } == errSecParam)
        let ecies = SecKeyAlgorithm.eciesEncryptionStandardX963SHA256AESGCM
        #expect(refusal { SecKeyCreateDecryptedData(key, ecies, data, $0) } == errSecParam)
        let exchange = SecKeyAlgorithm.ecdhKeyExchangeStandard
        #expect(refusal { SecKeyCopyKeyExchangeResult(key, exchange, key, [:] as CFDictionary, $0) } == errSecParam)
        #expect(refusal { SecKeyCreateEncryptedData(key, ecies, data, $0) } == errSecUnimplemented)
        #expect(refusal { SecKeyCreateEncryptedData(key, .rsaEncryptionPKCS1, data, $0) } == errSecParam)
        var outcome = code { SecKeyVerifySignature(key, .ecdsaSignatureMessageX962SHA256, data, data, $0) }
        #expect(outcome.result as? Bool == false)
        #expect(outcome.code == errSecUnimplemented)
        outcome = code { SecKeyVerifySignature(key, .rsaSignatureMessagePSSSHA256, data, data, $0) }
        #expect(outcome.result as? Bool == false)
        #expect(outcome.code == errSecParam)
        for operation in [.sign, .verify, .encrypt, .decrypt, .keyExchange] as [SecKeyOperationType] {
            #expect(!SecKeyIsAlgorithmSupported(key, operation, .ecdsaSignatureMessageX962SHA256))
        }
    }

    @available(*, deprecated)
    @Test
    func `the earlier functions return the same codes`() throws {
        let key = try key()
        var input: [UInt8] = [1]
        var output: [UInt8] = [0]
        var length = 1
        #expect(SecKeyRawSign(key, .PKCS1SHA256, &input, 1, &output, &length) == errSecParam)
        #expect(SecKeyDecrypt(key, [], &input, 1, &output, &length) == errSecParam)
        #expect(SecKeyRawVerify(key, .PKCS1, &input, 1, &output, 1) == errSecUnimplemented)
        #expect(SecKeyEncrypt(key, .OAEP, &input, 1, &output, &length) == errSecUnimplemented)
        #expect(length == 1)
    }
}
