public import CoreFoundationAliases

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

/// Signs with a private key, by an earlier function. A public key signs nothing: `errSecParam`.
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
    errSecParam
}

/// Verifies a signature with a public key, by an earlier function. It is `errSecUnimplemented` so far.
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
    errSecUnimplemented
}

/// Encrypts with a public key, by an earlier function. It is `errSecUnimplemented` so far.
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
    errSecUnimplemented
}

/// Decrypts with a private key, by an earlier function. A public key decrypts nothing: `errSecParam`.
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
    errSecParam
}
