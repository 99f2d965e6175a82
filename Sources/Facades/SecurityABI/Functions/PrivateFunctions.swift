import Foundation
import KeychainCertificates
public import Security

// What SecPrivate.h declares.

@c(SecCertificateCreateWithBytes)
public func secCertificateCreateWithBytes(
    _ allocator: UnsafeRawPointer?,
    _ bytes: UnsafePointer<UInt8>?,
    _ length: CFIndex
) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        SecCertificateCreateWithData(nil, try unsafe copied(bytes, length))
    }
}

@available(*, deprecated)
@c(SecCertificateGetNormalizedIssuerContent)
public func secCertificateGetNormalizedIssuerContent(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe lent(by: certificate) { () throws(WrongArgument) in
        unsafe SecCertificateCopyNormalizedIssuerContent(try Argument.certificate(certificate), nil)
    }
}

@available(*, deprecated)
@c(SecCertificateGetNormalizedSubjectContent)
public func secCertificateGetNormalizedSubjectContent(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe lent(by: certificate) { () throws(WrongArgument) in
        unsafe SecCertificateCopyNormalizedSubjectContent(try Argument.certificate(certificate), nil)
    }
}

@c(SecDistinguishedNameCopyNormalizedContent)
public func secDistinguishedNameCopyNormalizedContent(_ name: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        let bytes = Array(try unsafe Argument.data(name) as Data)
        return DistinguishedName(der: bytes).map { Data($0.normalizedContent) }
    }
}

@c(SecKeyGetSize)
public func secKeyGetSize(_ key: UnsafeRawPointer?, _ whichSize: UInt32) -> Int {
    if let custom = unsafe CustomKey.at(key) { return unsafe custom.size(of: key, isInBits: whichSize == 0) }
    return Outcome.value(refused: 0) { () throws(WrongArgument) in
        let key = try unsafe Argument.key(key)
        let attributes = SecKeyCopyAttributes(key) as? [String: Any] ?? [:]
        let block = SecKeyGetBlockSize(key)
        switch whichSize {
        case 0: return attributes[kSecAttrKeySizeInBits as String] as? Int ?? 0
        case 1 where attributes[kSecAttrKeyType as String] as? NSString != kSecAttrKeyTypeRSA:
            // Two numbers, each perhaps with a zero before it, and the headers around them.
            return 2 * block + (block < 66 ? 8 : 9)
        case 1, 2: return block
        default: return 0
        }
    }
}

@c(SecKeyCopyPublicBytes)
public func secKeyCopyPublicBytes(
    _ key: UnsafeRawPointer?,
    _ publicBytes: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    if let custom = unsafe CustomKey.at(key) {
        guard let publicBytes = unsafe publicBytes else { return errSecParam }
        return unsafe custom.copyPublicBytes(of: key, to: publicBytes) ?? errSecUnimplemented
    }
    return unsafe Outcome.status(writingTo: publicBytes) {
        (bytes: UnsafeMutablePointer<CFData?>) throws(WrongArgument) in
        guard let key = SecKeyCopyPublicKey(try unsafe Argument.key(key)) else { return errSecUnimplemented }
        unsafe bytes.pointee = SecKeyCopyExternalRepresentation(key, nil)
        return unsafe bytes.pointee == nil ? errSecUnimplemented : errSecSuccess
    }
}

@c(SecKeyCreate)
public func secKeyCreate(
    _ allocator: UnsafeRawPointer?,
    _ keyClass: UnsafeRawPointer?,
    _ keyData: UnsafePointer<UInt8>?,
    _ keyDataLength: CFIndex,
    _ encoding: UInt32
) -> UnsafeRawPointer? {
    guard let keyClass = unsafe keyClass, keyDataLength >= 0 else { return nil }
    return unsafe CustomKey.make(keyClass, keyData, keyDataLength, encoding)
}

@c(SecKeyCreateRSAPublicKey)
public func secKeyCreateRSAPublicKey(
    _ allocator: UnsafeRawPointer?,
    _ keyData: UnsafePointer<UInt8>?,
    _ keyDataLength: CFIndex,
    _ encoding: UInt32
) -> UnsafeRawPointer? {
    unsafe key(kSecAttrKeyTypeRSA, kSecAttrKeyClassPublic, keyData, keyDataLength, encoding)
}

@c(SecKeyCreateRSAPrivateKey)
public func secKeyCreateRSAPrivateKey(
    _ allocator: UnsafeRawPointer?,
    _ keyData: UnsafePointer<UInt8>?,
    _ keyDataLength: CFIndex,
    _ encoding: UInt32
) -> UnsafeRawPointer? {
    unsafe key(kSecAttrKeyTypeRSA, kSecAttrKeyClassPrivate, keyData, keyDataLength, encoding)
}

@c(SecKeyCreateECPublicKey)
public func secKeyCreateECPublicKey(
    _ allocator: UnsafeRawPointer?,
    _ keyData: UnsafePointer<UInt8>?,
    _ keyDataLength: CFIndex,
    _ encoding: UInt32
) -> UnsafeRawPointer? {
    unsafe key(kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClassPublic, keyData, keyDataLength, encoding)
}

@c(SecKeyCreateECPrivateKey)
public func secKeyCreateECPrivateKey(
    _ allocator: UnsafeRawPointer?,
    _ keyData: UnsafePointer<UInt8>?,
    _ keyDataLength: CFIndex,
    _ encoding: UInt32
) -> UnsafeRawPointer? {
    let pkcs1: UInt32 = 1
    if encoding == pkcs1, let bytes = try? unsafe copied(keyData, keyDataLength),
        let key = ellipticCurveKey(sec1: bytes)
    {
        return unsafe Outcome.object { key }
    }
    return unsafe key(kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClassPrivate, keyData, keyDataLength, encoding)
}

@c(SecKeyCreateEncryptedDataWithParameters)
public func secKeyCreateEncryptedDataWithParameters(
    _ key: UnsafeRawPointer?,
    _ algorithm: UnsafeRawPointer?,
    _ plaintext: UnsafeRawPointer?,
    _ parameters: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe encryptedData(
            try Argument.key(key),
            try Argument.algorithm(algorithm),
            try Argument.data(plaintext),
            try Argument.optionalDictionary(parameters) ?? NSDictionary(),
            error
        )
    }
}

@c(SecKeyCreateDecryptedDataWithParameters)
public func secKeyCreateDecryptedDataWithParameters(
    _ key: UnsafeRawPointer?,
    _ algorithm: UnsafeRawPointer?,
    _ ciphertext: UnsafeRawPointer?,
    _ parameters: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe decryptedData(
            try Argument.key(key),
            try Argument.algorithm(algorithm),
            try Argument.data(ciphertext),
            try Argument.optionalDictionary(parameters) ?? NSDictionary(),
            error
        )
    }
}

// MARK: What they have in common

/// An object that belongs to the one that it was asked of.
func lent(
    by owner: UnsafeRawPointer?,
    _ body: () throws(WrongArgument) -> Any?
) -> UnsafeRawPointer? {
    unsafe Outcome.value(refused: nil) { () throws(WrongArgument) in
        let object = try body()
        return unsafe IncomingObject.held(owner)?.lend(OutgoingObject.object(object))
    }
}

private func copied(_ bytes: UnsafePointer<UInt8>?, _ length: CFIndex) throws(WrongArgument) -> CFData {
    guard length > 0 else { throw WrongArgument() }
    return unsafe NSData(bytes: try Argument.memory(bytes), length: length)
}

/// Of the encodings, all but that of a structure with pointers in it are bytes as SecKeyCreateWithData takes them.
private func key(
    _ type: CFString,
    _ keyClass: CFString,
    _ bytes: UnsafePointer<UInt8>?,
    _ length: CFIndex,
    _ encoding: UInt32
) -> UnsafeRawPointer? {
    let structure: UInt32 = 3
    return unsafe Outcome.object { () throws(WrongArgument) in
        guard encoding != structure else { throw WrongArgument() }
        let attributes = NSDictionary(dictionary: [kSecAttrKeyType: type, kSecAttrKeyClass: keyClass])
        return unsafe SecKeyCreateWithData(try copied(bytes, length), attributes, nil)
    }
}
