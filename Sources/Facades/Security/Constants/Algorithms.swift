public import CoreFoundationAliases
public import Foundation

/// What a key does to its input: the algorithm, its padding, its digest and the form of the result.
///
/// - Note: "Digest" algorithms take a digest that the caller has computed, "message" algorithms compute it themselves.
public struct SecKeyAlgorithm: Hashable, RawRepresentable, @unchecked Sendable {
    // Sendable because the string is copied, and so immutable, before it is kept.

    /// The name of the algorithm.
    public let rawValue: CFString

    /// The algorithm of a name, whether or not it is known.
    public init(rawValue: CFString) {
        self.rawValue = CFString(string: String(describing: rawValue))
    }
}

// MARK: RSA signatures

extension SecKeyAlgorithm {
    /// RSA without padding; the caller has padded.
    public static let rsaSignatureRaw = SecKeyAlgorithm(rawValue: "algid:sign:RSA:raw")

    /// RSA with PKCS #1 padding over whatever is given.
    public static let rsaSignatureDigestPKCS1v15Raw = SecKeyAlgorithm(rawValue: "algid:sign:RSA:digest-PKCS1v15")

    /// RSA with PKCS #1 padding over a SHA1 digest.
    public static let rsaSignatureDigestPKCS1v15SHA1 = SecKeyAlgorithm(rawValue: "algid:sign:RSA:digest-PKCS1v15:SHA1")

    /// RSA with PKCS #1 padding over a SHA224 digest.
    public static let rsaSignatureDigestPKCS1v15SHA224 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:digest-PKCS1v15:SHA224"
    )

    /// RSA with PKCS #1 padding over a SHA256 digest.
    public static let rsaSignatureDigestPKCS1v15SHA256 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:digest-PKCS1v15:SHA256"
    )

    /// RSA with PKCS #1 padding over a SHA384 digest.
    public static let rsaSignatureDigestPKCS1v15SHA384 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:digest-PKCS1v15:SHA384"
    )

    /// RSA with PKCS #1 padding over a SHA512 digest.
    public static let rsaSignatureDigestPKCS1v15SHA512 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:digest-PKCS1v15:SHA512"
    )

    /// RSA with PKCS #1 padding over the SHA1 digest of a message.
    public static let rsaSignatureMessagePKCS1v15SHA1 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PKCS1v15:SHA1"
    )

    /// RSA with PKCS #1 padding over the SHA224 digest of a message.
    public static let rsaSignatureMessagePKCS1v15SHA224 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PKCS1v15:SHA224"
    )

    /// RSA with PKCS #1 padding over the SHA256 digest of a message.
    public static let rsaSignatureMessagePKCS1v15SHA256 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PKCS1v15:SHA256"
    )

    /// RSA with PKCS #1 padding over the SHA384 digest of a message.
    public static let rsaSignatureMessagePKCS1v15SHA384 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PKCS1v15:SHA384"
    )

    /// RSA with PKCS #1 padding over the SHA512 digest of a message.
    public static let rsaSignatureMessagePKCS1v15SHA512 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PKCS1v15:SHA512"
    )

    /// RSA with PSS padding over a SHA1 digest.
    public static let rsaSignatureDigestPSSSHA1 = SecKeyAlgorithm(rawValue: "algid:sign:RSA:digest-PSS:SHA1:SHA1:20")

    /// RSA with PSS padding over a SHA224 digest.
    public static let rsaSignatureDigestPSSSHA224 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:digest-PSS:SHA224:SHA224:24"
    )

    /// RSA with PSS padding over a SHA256 digest.
    public static let rsaSignatureDigestPSSSHA256 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:digest-PSS:SHA256:SHA256:32"
    )

    /// RSA with PSS padding over a SHA384 digest.
    public static let rsaSignatureDigestPSSSHA384 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:digest-PSS:SHA384:SHA384:48"
    )

    /// RSA with PSS padding over a SHA512 digest.
    public static let rsaSignatureDigestPSSSHA512 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:digest-PSS:SHA512:SHA512:64"
    )

    /// RSA with PSS padding over the SHA1 digest of a message.
    public static let rsaSignatureMessagePSSSHA1 = SecKeyAlgorithm(rawValue: "algid:sign:RSA:message-PSS:SHA1:SHA1:20")

    /// RSA with PSS padding over the SHA224 digest of a message.
    public static let rsaSignatureMessagePSSSHA224 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PSS:SHA224:SHA224:24"
    )

    /// RSA with PSS padding over the SHA256 digest of a message.
    public static let rsaSignatureMessagePSSSHA256 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PSS:SHA256:SHA256:32"
    )

    /// RSA with PSS padding over the SHA384 digest of a message.
    public static let rsaSignatureMessagePSSSHA384 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PSS:SHA384:SHA384:48"
    )

    /// RSA with PSS padding over the SHA512 digest of a message.
    public static let rsaSignatureMessagePSSSHA512 = SecKeyAlgorithm(
        rawValue: "algid:sign:RSA:message-PSS:SHA512:SHA512:64"
    )
}

// MARK: ECDSA signatures

extension SecKeyAlgorithm {
    /// ECDSA over a digest, as two numbers of fixed length; deprecated.
    public static let ecdsaSignatureRFC4754 = SecKeyAlgorithm(rawValue: "algid:sign:ECDSA:RFC4754")

    /// ECDSA over a digest of any length, in DER.
    public static let ecdsaSignatureDigestX962 = SecKeyAlgorithm(rawValue: "algid:sign:ECDSA:digest-X962")

    /// ECDSA over a SHA1 digest, in DER.
    public static let ecdsaSignatureDigestX962SHA1 = SecKeyAlgorithm(rawValue: "algid:sign:ECDSA:digest-X962:SHA1")

    /// ECDSA over a SHA224 digest, in DER.
    public static let ecdsaSignatureDigestX962SHA224 = SecKeyAlgorithm(rawValue: "algid:sign:ECDSA:digest-X962:SHA224")

    /// ECDSA over a SHA256 digest, in DER.
    public static let ecdsaSignatureDigestX962SHA256 = SecKeyAlgorithm(rawValue: "algid:sign:ECDSA:digest-X962:SHA256")

    /// ECDSA over a SHA384 digest, in DER.
    public static let ecdsaSignatureDigestX962SHA384 = SecKeyAlgorithm(rawValue: "algid:sign:ECDSA:digest-X962:SHA384")

    /// ECDSA over a SHA512 digest, in DER.
    public static let ecdsaSignatureDigestX962SHA512 = SecKeyAlgorithm(rawValue: "algid:sign:ECDSA:digest-X962:SHA512")

    /// ECDSA over the SHA1 digest of a message, in DER.
    public static let ecdsaSignatureMessageX962SHA1 = SecKeyAlgorithm(rawValue: "algid:sign:ECDSA:message-X962:SHA1")

    /// ECDSA over the SHA224 digest of a message, in DER.
    public static let ecdsaSignatureMessageX962SHA224 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:message-X962:SHA224"
    )

    /// ECDSA over the SHA256 digest of a message, in DER.
    public static let ecdsaSignatureMessageX962SHA256 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:message-X962:SHA256"
    )

    /// ECDSA over the SHA384 digest of a message, in DER.
    public static let ecdsaSignatureMessageX962SHA384 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:message-X962:SHA384"
    )

    /// ECDSA over the SHA512 digest of a message, in DER.
    public static let ecdsaSignatureMessageX962SHA512 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:message-X962:SHA512"
    )

    /// ECDSA over a digest of any length, as two numbers of fixed length.
    public static let ecdsaSignatureDigestRFC4754 = SecKeyAlgorithm(rawValue: "algid:sign:ECDSA:digest-RFC4754")

    /// ECDSA over a SHA1 digest, as two numbers of fixed length.
    public static let ecdsaSignatureDigestRFC4754SHA1 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:digest-RFC4754:SHA1"
    )

    /// ECDSA over a SHA224 digest, as two numbers of fixed length.
    public static let ecdsaSignatureDigestRFC4754SHA224 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:digest-RFC4754:SHA224"
    )

    /// ECDSA over a SHA256 digest, as two numbers of fixed length.
    public static let ecdsaSignatureDigestRFC4754SHA256 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:digest-RFC4754:SHA256"
    )

    /// ECDSA over a SHA384 digest, as two numbers of fixed length.
    public static let ecdsaSignatureDigestRFC4754SHA384 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:digest-RFC4754:SHA384"
    )

    /// ECDSA over a SHA512 digest, as two numbers of fixed length.
    public static let ecdsaSignatureDigestRFC4754SHA512 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:digest-RFC4754:SHA512"
    )

    /// ECDSA over the SHA1 digest of a message, as two numbers of fixed length.
    public static let ecdsaSignatureMessageRFC4754SHA1 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:message-RFC4754:SHA1"
    )

    /// ECDSA over the SHA224 digest of a message, as two numbers of fixed length.
    public static let ecdsaSignatureMessageRFC4754SHA224 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:message-RFC4754:SHA224"
    )

    /// ECDSA over the SHA256 digest of a message, as two numbers of fixed length.
    public static let ecdsaSignatureMessageRFC4754SHA256 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:message-RFC4754:SHA256"
    )

    /// ECDSA over the SHA384 digest of a message, as two numbers of fixed length.
    public static let ecdsaSignatureMessageRFC4754SHA384 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:message-RFC4754:SHA384"
    )

    /// ECDSA over the SHA512 digest of a message, as two numbers of fixed length.
    public static let ecdsaSignatureMessageRFC4754SHA512 = SecKeyAlgorithm(
        rawValue: "algid:sign:ECDSA:message-RFC4754:SHA512"
    )
}

// MARK: RSA encryption

extension SecKeyAlgorithm {
    /// RSA without padding.
    public static let rsaEncryptionRaw = SecKeyAlgorithm(rawValue: "algid:encrypt:RSA:raw")

    /// RSA with PKCS #1 padding.
    public static let rsaEncryptionPKCS1 = SecKeyAlgorithm(rawValue: "algid:encrypt:RSA:PKCS1")

    /// RSA with OAEP padding using SHA1.
    public static let rsaEncryptionOAEPSHA1 = SecKeyAlgorithm(rawValue: "algid:encrypt:RSA:OAEP:SHA1")

    /// RSA with OAEP padding using SHA224.
    public static let rsaEncryptionOAEPSHA224 = SecKeyAlgorithm(rawValue: "algid:encrypt:RSA:OAEP:SHA224")

    /// RSA with OAEP padding using SHA256.
    public static let rsaEncryptionOAEPSHA256 = SecKeyAlgorithm(rawValue: "algid:encrypt:RSA:OAEP:SHA256")

    /// RSA with OAEP padding using SHA384.
    public static let rsaEncryptionOAEPSHA384 = SecKeyAlgorithm(rawValue: "algid:encrypt:RSA:OAEP:SHA384")

    /// RSA with OAEP padding using SHA512.
    public static let rsaEncryptionOAEPSHA512 = SecKeyAlgorithm(rawValue: "algid:encrypt:RSA:OAEP:SHA512")

    /// AES-GCM under a key that RSA with OAEP using SHA1 carries.
    public static let rsaEncryptionOAEPSHA1AESGCM = SecKeyAlgorithm(rawValue: "algid:encrypt:RSA:OAEP:SHA1:AESGCM")

    /// AES-GCM under a key that RSA with OAEP using SHA224 carries.
    public static let rsaEncryptionOAEPSHA224AESGCM = SecKeyAlgorithm(rawValue: "algid:encrypt:RSA:OAEP:SHA224:AESGCM")

    /// AES-GCM under a key that RSA with OAEP using SHA256 carries.
    public static let rsaEncryptionOAEPSHA256AESGCM = SecKeyAlgorithm(rawValue: "algid:encrypt:RSA:OAEP:SHA256:AESGCM")

    /// AES-GCM under a key that RSA with OAEP using SHA384 carries.
    public static let rsaEncryptionOAEPSHA384AESGCM = SecKeyAlgorithm(rawValue: "algid:encrypt:RSA:OAEP:SHA384:AESGCM")

    /// AES-GCM under a key that RSA with OAEP using SHA512 carries.
    public static let rsaEncryptionOAEPSHA512AESGCM = SecKeyAlgorithm(rawValue: "algid:encrypt:RSA:OAEP:SHA512:AESGCM")
}

// MARK: ECIES encryption

extension SecKeyAlgorithm {
    /// ECIES: X9.63 derivation with SHA1, AES-GCM with an initialisation vector of zeros.
    public static let eciesEncryptionStandardX963SHA1AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM"
    )

    /// ECIES: X9.63 derivation with SHA224, AES-GCM with an initialisation vector of zeros.
    public static let eciesEncryptionStandardX963SHA224AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM"
    )

    /// ECIES: X9.63 derivation with SHA256, AES-GCM with an initialisation vector of zeros.
    public static let eciesEncryptionStandardX963SHA256AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM"
    )

    /// ECIES: X9.63 derivation with SHA384, AES-GCM with an initialisation vector of zeros.
    public static let eciesEncryptionStandardX963SHA384AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM"
    )

    /// ECIES: X9.63 derivation with SHA512, AES-GCM with an initialisation vector of zeros.
    public static let eciesEncryptionStandardX963SHA512AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM"
    )

    /// ECIES: X9.63 derivation with SHA224, AES-GCM with a derived initialisation vector.
    public static let eciesEncryptionStandardVariableIVX963SHA224AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV"
    )

    /// ECIES: X9.63 derivation with SHA256, AES-GCM with a derived initialisation vector.
    public static let eciesEncryptionStandardVariableIVX963SHA256AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV"
    )

    /// ECIES: X9.63 derivation with SHA384, AES-GCM with a derived initialisation vector.
    public static let eciesEncryptionStandardVariableIVX963SHA384AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV"
    )

    /// ECIES: X9.63 derivation with SHA512, AES-GCM with a derived initialisation vector.
    public static let eciesEncryptionStandardVariableIVX963SHA512AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV"
    )

    /// ECIES with cofactor: X9.63 derivation with SHA1, AES-GCM with an initialisation vector of zeros.
    public static let eciesEncryptionCofactorX963SHA1AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM"
    )

    /// ECIES with cofactor: X9.63 derivation with SHA224, AES-GCM with an initialisation vector of zeros.
    public static let eciesEncryptionCofactorX963SHA224AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM"
    )

    /// ECIES with cofactor: X9.63 derivation with SHA256, AES-GCM with an initialisation vector of zeros.
    public static let eciesEncryptionCofactorX963SHA256AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM"
    )

    /// ECIES with cofactor: X9.63 derivation with SHA384, AES-GCM with an initialisation vector of zeros.
    public static let eciesEncryptionCofactorX963SHA384AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM"
    )

    /// ECIES with cofactor: X9.63 derivation with SHA512, AES-GCM with an initialisation vector of zeros.
    public static let eciesEncryptionCofactorX963SHA512AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM"
    )

    /// ECIES with cofactor: X9.63 derivation with SHA224, AES-GCM with a derived initialisation vector.
    public static let eciesEncryptionCofactorVariableIVX963SHA224AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV"
    )

    /// ECIES with cofactor: X9.63 derivation with SHA256, AES-GCM with a derived initialisation vector.
    public static let eciesEncryptionCofactorVariableIVX963SHA256AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV"
    )

    /// ECIES with cofactor: X9.63 derivation with SHA384, AES-GCM with a derived initialisation vector.
    public static let eciesEncryptionCofactorVariableIVX963SHA384AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV"
    )

    /// ECIES with cofactor: X9.63 derivation with SHA512, AES-GCM with a derived initialisation vector.
    public static let eciesEncryptionCofactorVariableIVX963SHA512AESGCM = SecKeyAlgorithm(
        rawValue: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV"
    )
}

// MARK: Key exchange

extension SecKeyAlgorithm {
    /// ECDH: the bare shared secret.
    public static let ecdhKeyExchangeStandard = SecKeyAlgorithm(rawValue: "algid:keyexchange:ECDH")

    /// ECDH: the shared secret through X9.63 derivation with SHA1.
    public static let ecdhKeyExchangeStandardX963SHA1 = SecKeyAlgorithm(rawValue: "algid:keyexchange:ECDH:KDFX963:SHA1")

    /// ECDH: the shared secret through X9.63 derivation with SHA224.
    public static let ecdhKeyExchangeStandardX963SHA224 = SecKeyAlgorithm(
        rawValue: "algid:keyexchange:ECDH:KDFX963:SHA224"
    )

    /// ECDH: the shared secret through X9.63 derivation with SHA256.
    public static let ecdhKeyExchangeStandardX963SHA256 = SecKeyAlgorithm(
        rawValue: "algid:keyexchange:ECDH:KDFX963:SHA256"
    )

    /// ECDH: the shared secret through X9.63 derivation with SHA384.
    public static let ecdhKeyExchangeStandardX963SHA384 = SecKeyAlgorithm(
        rawValue: "algid:keyexchange:ECDH:KDFX963:SHA384"
    )

    /// ECDH: the shared secret through X9.63 derivation with SHA512.
    public static let ecdhKeyExchangeStandardX963SHA512 = SecKeyAlgorithm(
        rawValue: "algid:keyexchange:ECDH:KDFX963:SHA512"
    )

    /// ECDH with cofactor: the bare shared secret.
    public static let ecdhKeyExchangeCofactor = SecKeyAlgorithm(rawValue: "algid:keyexchange:ECDHC")

    /// ECDH with cofactor: the shared secret through X9.63 derivation with SHA1.
    public static let ecdhKeyExchangeCofactorX963SHA1 = SecKeyAlgorithm(
        rawValue: "algid:keyexchange:ECDHC:KDFX963:SHA1"
    )

    /// ECDH with cofactor: the shared secret through X9.63 derivation with SHA224.
    public static let ecdhKeyExchangeCofactorX963SHA224 = SecKeyAlgorithm(
        rawValue: "algid:keyexchange:ECDHC:KDFX963:SHA224"
    )

    /// ECDH with cofactor: the shared secret through X9.63 derivation with SHA256.
    public static let ecdhKeyExchangeCofactorX963SHA256 = SecKeyAlgorithm(
        rawValue: "algid:keyexchange:ECDHC:KDFX963:SHA256"
    )

    /// ECDH with cofactor: the shared secret through X9.63 derivation with SHA384.
    public static let ecdhKeyExchangeCofactorX963SHA384 = SecKeyAlgorithm(
        rawValue: "algid:keyexchange:ECDHC:KDFX963:SHA384"
    )

    /// ECDH with cofactor: the shared secret through X9.63 derivation with SHA512.
    public static let ecdhKeyExchangeCofactorX963SHA512 = SecKeyAlgorithm(
        rawValue: "algid:keyexchange:ECDHC:KDFX963:SHA512"
    )
}
