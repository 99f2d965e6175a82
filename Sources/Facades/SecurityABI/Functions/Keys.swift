import Foundation
public import Security

@c(SecKeyGetTypeID)
public func secKeyGetTypeID() -> CFTypeID { SecType.key.identifier }

@c(SecKeyCopyPublicKey)
public func secKeyCopyPublicKey(_ key: UnsafeRawPointer?) -> UnsafeRawPointer? {
    if let custom = unsafe CustomKey.at(key) { return unsafe custom.publicKey(of: key) }
    return unsafe Outcome.object { () throws(WrongArgument) in SecKeyCopyPublicKey(try unsafe Argument.key(key)) }
}

@c(SecKeyCopyAttributes)
public func secKeyCopyAttributes(_ key: UnsafeRawPointer?) -> UnsafeRawPointer? {
    if let custom = unsafe CustomKey.at(key) { return unsafe custom.attributes(of: key) }
    return unsafe Outcome.object { () throws(WrongArgument) in
        guard let attributes = SecKeyCopyAttributes(try unsafe Argument.key(key)),
            let result = attributes.mutableCopy() as? NSMutableDictionary
        else { return nil }
        for flag in keyFlags {
            guard let number = attributes[flag] as? NSNumber else { continue }
            result[flag as NSString] = NSNumber(value: number.boolValue)
        }
        return result
    }
}

@c(SecKeyCopyExternalRepresentation)
public func secKeyCopyExternalRepresentation(
    _ key: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    if let custom = unsafe CustomKey.at(key) { return unsafe custom.representation(of: key, orError: error) }
    return unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecKeyCopyExternalRepresentation(try Argument.key(key), error)
    }
}

@c(SecKeyCreateRandomKey)
public func secKeyCreateRandomKey(
    _ parameters: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecKeyCreateRandomKey(try Argument.dictionary(parameters), error)
    }
}

@c(SecKeyGetBlockSize)
public func secKeyGetBlockSize(_ key: UnsafeRawPointer?) -> Int {
    if let custom = unsafe CustomKey.at(key) { return unsafe custom.blockSize(of: key) }
    return Outcome.value(refused: 0) { () throws(WrongArgument) in SecKeyGetBlockSize(try unsafe Argument.key(key)) }
}

@available(*, deprecated)
@c(SecKeyGeneratePair)
public func secKeyGeneratePair(
    _ parameters: UnsafeRawPointer?,
    _ publicKey: UnsafeMutablePointer<UnsafeRawPointer?>?,
    _ privateKey: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        var keys: (public: SecKey?, private: SecKey?)
        let status = unsafe SecKeyGeneratePair(try Argument.dictionary(parameters), &keys.public, &keys.private)
        guard status == errSecSuccess else { return status }
        if let publicKey = unsafe publicKey { unsafe publicKey.pointee = unsafe OutgoingObject.object(keys.public) }
        if let privateKey = unsafe privateKey { unsafe privateKey.pointee = unsafe OutgoingObject.object(keys.private) }
        return status
    }
}

@c(SecKeyCreateWithData)
public func secKeyCreateWithData(
    _ keyData: UnsafeRawPointer?,
    _ attributes: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecKeyCreateWithData(try Argument.data(keyData), try Argument.dictionary(attributes), error)
    }
}
