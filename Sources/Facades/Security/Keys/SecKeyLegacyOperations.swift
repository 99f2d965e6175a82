public import CoreFoundationAliases

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainKeys
@_implementationOnly import KeychainModel

/// How data is padded before RSA, in the earlier functions.
public struct SecPadding: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// PKCS #1, version 1.5.
    public static let PKCS1 = SecPadding(rawValue: 1)
    /// OAEP with SHA1.
    public static let OAEP = SecPadding(rawValue: 2)
    /// A signature as its two numbers one after the other.
    public static let sigRaw = SecPadding(rawValue: 0x4000)
    /// PKCS #1 over an MD2 digest.
    public static let PKCS1MD2 = SecPadding(rawValue: 0x8000)
    /// PKCS #1 over an MD5 digest.
    public static let PKCS1MD5 = SecPadding(rawValue: 0x8001)
    /// PKCS #1 over a SHA1 digest.
    public static let PKCS1SHA1 = SecPadding(rawValue: 0x8002)
    /// PKCS #1 over a SHA224 digest.
    public static let PKCS1SHA224 = SecPadding(rawValue: 0x8003)
    /// PKCS #1 over a SHA256 digest.
    public static let PKCS1SHA256 = SecPadding(rawValue: 0x8004)
    /// PKCS #1 over a SHA384 digest.
    public static let PKCS1SHA384 = SecPadding(rawValue: 0x8005)
    /// PKCS #1 over a SHA512 digest.
    public static let PKCS1SHA512 = SecPadding(rawValue: 0x8006)
}

/// Signs a digest with a private key, by an earlier function.
///
/// - Parameters:
///   - sig: receives the signature.
///   - sigLen: in, the room there is; out, the bytes of the signature. Neither is touched on failure.
/// - Returns: `errSecSuccess`; `errSecParam` for a public key, a padding that such keys do not have, a digest of
///   another length and too little room; -4 for the digests MD2 and MD5.
@available(*, deprecated, message: "Use SecKeyCreateSignature")
@discardableResult
public func SecKeyRawSign(
    _ key: SecKey,
    _ padding: SecPadding,
    _ dataToSign: UnsafePointer<UInt8>,
    _ dataToSignLen: Int,
    _ sig: UnsafeMutablePointer<UInt8>,
    _ sigLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    status { () throws(KeychainError) in
        let data = try unsafe bytes(dataToSign, dataToSignLen)
        let signature = try key.requirePrivate().signature(of: data, padding.signature(by: key))
        try unsafe write(SecretBytes(signature), to: sig, sigLen)
    }
}

/// Verifies the signature of a digest with a public key, by an earlier function.
///
/// - Returns: `errSecSuccess`; `errSSLCrypto` for anything but the key's signature of the digest; `errSecParam` and
///   -4 as `SecKeyRawSign` has them.
@available(*, deprecated, message: "Use SecKeyVerifySignature")
@discardableResult
public func SecKeyRawVerify(
    _ key: SecKey,
    _ padding: SecPadding,
    _ signedData: UnsafePointer<UInt8>,
    _ signedDataLen: Int,
    _ sig: UnsafePointer<UInt8>,
    _ sigLen: Int
) -> OSStatus {
    let status = status { () throws(KeychainError) in
        let data = try unsafe bytes(signedData, signedDataLen)
        guard sigLen >= 0 else { throw negative }
        try key.requirePublic().verify(unsafe bytes(sig, sigLen), of: data, padding.signature(by: key))
    }
    return status == errSecVerifyFailed ? errSSLCrypto : status
}

/// Encrypts with an RSA public key, by an earlier function.
///
/// - Parameters:
///   - cipherText: receives the ciphertext.
///   - cipherTextLen: in, the room there is; out, the bytes of the ciphertext. Neither is touched on failure.
/// - Returns: `errSecSuccess`; `errSecParam` for any other key, a padding that is not for that, more data than fits and
///   too little room; -4 for no padding.
@available(*, deprecated, message: "Use SecKeyCreateEncryptedData")
@discardableResult
public func SecKeyEncrypt(
    _ key: SecKey,
    _ padding: SecPadding,
    _ plainText: UnsafePointer<UInt8>,
    _ plainTextLen: Int,
    _ cipherText: UnsafeMutablePointer<UInt8>,
    _ cipherTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    status { () throws(KeychainError) in
        let data = try unsafe bytes(plainText, plainTextLen)
        let ciphertext = try key.requirePublic().encrypted(data, padding.encryption)
        try unsafe write(SecretBytes(ciphertext), to: cipherText, cipherTextLen)
    }
}

/// Decrypts with an RSA private key, by an earlier function. Without padding the zeros in front are left out, and an RSA
/// public key opens a signature: the result is the padded digest.
///
/// - Parameters:
///   - plainText: receives the plaintext.
///   - plainTextLen: in, the room there is; out, the bytes of the plaintext. Neither is touched on failure.
/// - Returns: `errSecSuccess`; `errSecParam` for what does not decrypt, any other key, a padding that is not for that
///   and too little room.
@available(*, deprecated, message: "Use SecKeyCreateDecryptedData")
@discardableResult
public func SecKeyDecrypt(
    _ key: SecKey,
    _ padding: SecPadding,
    _ cipherText: UnsafePointer<UInt8>,
    _ cipherTextLen: Int,
    _ plainText: UnsafeMutablePointer<UInt8>,
    _ plainTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    status { () throws(KeychainError) in
        let data = try unsafe bytes(cipherText, cipherTextLen)
        let plaintext = try key.decrypted(data, padding.encryption)
        let zeros = unsafe padding.rawValue == 0 ? plaintext.withUnsafeBytes { unsafe $0.prefix { $0 == 0 }.count } : 0
        try unsafe write(plaintext, from: zeros, to: plainText, plainTextLen)
    }
}

private func status(_ body: () throws(KeychainError) -> Void) -> OSStatus {
    do throws(KeychainError) {
        try body()
        return errSecSuccess
    } catch {
        return error.status
    }
}

private let negative = KeychainError(.invalidParameter, "a length is below zero")

private func bytes(_ start: UnsafePointer<UInt8>, _ count: Int) throws(KeychainError) -> [UInt8] {
    guard count >= 0 else { throw negative }
    return unsafe Array(UnsafeBufferPointer(start: start, count: count))
}

private func write(
    _ result: SecretBytes,
    from start: Int = 0,
    to place: UnsafeMutablePointer<UInt8>,
    _ count: UnsafeMutablePointer<Int>
) throws(KeychainError) {
    let size = result.count - start
    guard unsafe count.pointee >= size else {
        throw KeychainError(.invalidParameter, "there is too little room for the result")
    }
    unsafe result.withUnsafeBytes { bytes in
        unsafe UnsafeMutableRawBufferPointer(start: place, count: size).copyBytes(from: bytes.dropFirst(start))
    }
    unsafe count.pointee = size
}

extension SecPadding {
    /// What the padding means for signatures by keys of a type.
    fileprivate func signature(by key: SecKey) throws(KeychainError) -> KeyAlgorithm {
        if case .ed25519 = key.publicKey.kind { throw Self.unknown }
        let isRSA = if case .rsa = key.publicKey.kind { true } else { false }
        let name: SecKeyAlgorithm? =
            switch (rawValue, isRSA) {
            case (0, true): .rsaSignatureRaw
            case (1, true): .rsaSignatureDigestPKCS1v15Raw
            case (0x8002, true): .rsaSignatureDigestPKCS1v15SHA1
            case (0x8003, true): .rsaSignatureDigestPKCS1v15SHA224
            case (0x8004, true): .rsaSignatureDigestPKCS1v15SHA256
            case (0x8005, true): .rsaSignatureDigestPKCS1v15SHA384
            case (0x8006, true): .rsaSignatureDigestPKCS1v15SHA512
            case (0, false), (1, false): .ecdsaSignatureDigestX962
            case (0x4000, false): .ecdsaSignatureDigestRFC4754
            case (0x8002, false): .ecdsaSignatureDigestX962SHA1
            case (0x8003, false): .ecdsaSignatureDigestX962SHA224
            case (0x8004, false): .ecdsaSignatureDigestX962SHA256
            case (0x8005, false): .ecdsaSignatureDigestX962SHA384
            case (0x8006, false): .ecdsaSignatureDigestX962SHA512
            case (0x8000, _), (0x8001, _): throw KeychainError(.unimplemented, "MD2 and MD5 are not signed here")
            default: nil
            }
        guard let name else { throw Self.unknown }
        return try KeyAlgorithm(required: name)
    }

    fileprivate var encryption: KeyAlgorithm {
        get throws(KeychainError) {
            let name: SecKeyAlgorithm? =
                switch rawValue {
                case 0: .rsaEncryptionRaw
                case 1: .rsaEncryptionPKCS1
                case 2: .rsaEncryptionOAEPSHA1
                default: nil
                }
            guard let name else { throw Self.unknown }
            return try KeyAlgorithm(required: name)
        }
    }

    private static let unknown = KeychainError(.invalidParameter, "the padding is not for this")
}
