import Foundation
public import Security

@c(SecKeyIsAlgorithmSupported)
public func secKeyIsAlgorithmSupported(
    _ key: UnsafeRawPointer?,
    _ operation: CFIndex,
    _ algorithm: UnsafeRawPointer?
) -> Bool {
    Outcome.value(refused: false) { () throws(WrongArgument) in
        guard let operation = SecKeyOperationType(rawValue: operation) else { throw WrongArgument() }
        if let custom = unsafe CustomKey.at(key) {
            _ = unsafe try Argument.algorithm(algorithm)
            return unsafe custom.supports(key, operation, algorithm)
        }
        return unsafe SecKeyIsAlgorithmSupported(
            try Argument.key(key),
            operation,
            try Argument.algorithm(algorithm)
        )
    }
}

@c(SecKeyCreateSignature)
public func secKeyCreateSignature(
    _ key: UnsafeRawPointer?,
    _ algorithm: UnsafeRawPointer?,
    _ dataToSign: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    if let custom = unsafe CustomKey.at(key), unsafe Argument.areUsable(algorithm, data: dataToSign) {
        return unsafe custom.data(key, .sign, algorithm, dataToSign, nil, orError: error)
    }
    return unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecKeyCreateSignature(
            try Argument.key(key),
            try Argument.algorithm(algorithm),
            try Argument.data(dataToSign),
            error
        )
    }
}

@c(SecKeyCreateEncryptedData)
public func secKeyCreateEncryptedData(
    _ key: UnsafeRawPointer?,
    _ algorithm: UnsafeRawPointer?,
    _ plaintext: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    if let custom = unsafe CustomKey.at(key), unsafe Argument.areUsable(algorithm, data: plaintext) {
        return unsafe custom.data(key, .encrypt, algorithm, plaintext, nil, orError: error)
    }
    return unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecKeyCreateEncryptedData(
            try Argument.key(key),
            try Argument.algorithm(algorithm),
            try Argument.data(plaintext),
            error
        )
    }
}

@c(SecKeyCreateDecryptedData)
public func secKeyCreateDecryptedData(
    _ key: UnsafeRawPointer?,
    _ algorithm: UnsafeRawPointer?,
    _ ciphertext: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    if let custom = unsafe CustomKey.at(key), unsafe Argument.areUsable(algorithm, data: ciphertext) {
        return unsafe custom.data(key, .decrypt, algorithm, ciphertext, nil, orError: error)
    }
    return unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecKeyCreateDecryptedData(
            try Argument.key(key),
            try Argument.algorithm(algorithm),
            try Argument.data(ciphertext),
            error
        )
    }
}

@c(SecKeyVerifySignature)
public func secKeyVerifySignature(
    _ key: UnsafeRawPointer?,
    _ algorithm: UnsafeRawPointer?,
    _ signedData: UnsafeRawPointer?,
    _ signature: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Bool {
    if let custom = unsafe CustomKey.at(key),
        unsafe Argument.areUsable(algorithm, data: signedData) && Argument.areUsable(algorithm, data: signature)
    {
        return unsafe custom.verifies(key, algorithm, signedData, signature, orError: error)
    }
    return unsafe Outcome.value(orError: error, refused: false) { error throws(WrongArgument) in
        unsafe SecKeyVerifySignature(
            try Argument.key(key),
            try Argument.algorithm(algorithm),
            try Argument.data(signedData),
            try Argument.data(signature),
            error
        )
    }
}

@c(SecKeyCopyKeyExchangeResult)
public func secKeyCopyKeyExchangeResult(
    _ privateKey: UnsafeRawPointer?,
    _ algorithm: UnsafeRawPointer?,
    _ publicKey: UnsafeRawPointer?,
    _ parameters: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    if let custom = unsafe CustomKey.at(privateKey),
        unsafe IncomingObject.isKey(publicKey) && (try? Argument.dictionary(parameters)) != nil
            && (try? Argument.algorithm(algorithm)) != nil
    {
        return unsafe custom.data(privateKey, .keyExchange, algorithm, publicKey, parameters, orError: error)
    }
    return unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecKeyCopyKeyExchangeResult(
            try Argument.key(privateKey),
            try Argument.algorithm(algorithm),
            try Argument.key(publicKey),
            try Argument.dictionary(parameters),
            error
        )
    }
}
