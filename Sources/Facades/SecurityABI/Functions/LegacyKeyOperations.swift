public import Security

// Lengths that are negative as Swift numbers are beyond all memory.

@available(*, deprecated)
@c(SecKeyRawSign)
public func secKeyRawSign(
    _ key: UnsafeRawPointer?,
    _ padding: UInt32,
    _ dataToSign: UnsafePointer<UInt8>?,
    _ dataToSignLen: Int,
    _ sig: UnsafeMutablePointer<UInt8>?,
    _ sigLen: UnsafeMutablePointer<Int>?
) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        let capacity = try unsafe Argument.memory(sigLen)
        guard dataToSignLen >= 0, unsafe capacity.pointee >= 0 else { throw WrongArgument() }
        if let custom = unsafe CustomKey.at(key) {
            if let status = unsafe custom.sign(key, padding, dataToSign, dataToSignLen, sig, sigLen) { return status }
            let digest = unsafe UnsafeBufferPointer(start: try Argument.memory(dataToSign), count: dataToSignLen)
            return unsafe custom.sign(key, padding, digest: digest, into: sig, capacity) ?? errSecUnimplemented
        }
        return unsafe SecKeyRawSign(
            try Argument.key(key),
            SecPadding(rawValue: padding),
            try Argument.memory(dataToSign),
            dataToSignLen,
            try Argument.memory(sig),
            capacity
        )
    }
}

@available(*, deprecated)
@c(SecKeyEncrypt)
public func secKeyEncrypt(
    _ key: UnsafeRawPointer?,
    _ padding: UInt32,
    _ plainText: UnsafePointer<UInt8>?,
    _ plainTextLen: Int,
    _ cipherText: UnsafeMutablePointer<UInt8>?,
    _ cipherTextLen: UnsafeMutablePointer<Int>?
) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        let capacity = try unsafe Argument.memory(cipherTextLen)
        guard plainTextLen >= 0, unsafe capacity.pointee >= 0 else { throw WrongArgument() }
        if let custom = unsafe CustomKey.at(key) {
            return unsafe custom.encrypt(key, padding, plainText, plainTextLen, cipherText, cipherTextLen)
                ?? errSecUnimplemented
        }
        return unsafe SecKeyEncrypt(
            try Argument.key(key),
            SecPadding(rawValue: padding),
            try Argument.memory(plainText),
            plainTextLen,
            try Argument.memory(cipherText),
            capacity
        )
    }
}

@available(*, deprecated)
@c(SecKeyDecrypt)
public func secKeyDecrypt(
    _ key: UnsafeRawPointer?,
    _ padding: UInt32,
    _ cipherText: UnsafePointer<UInt8>?,
    _ cipherTextLen: Int,
    _ plainText: UnsafeMutablePointer<UInt8>?,
    _ plainTextLen: UnsafeMutablePointer<Int>?
) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        let capacity = try unsafe Argument.memory(plainTextLen)
        guard cipherTextLen >= 0, unsafe capacity.pointee >= 0 else { throw WrongArgument() }
        if let custom = unsafe CustomKey.at(key) {
            return unsafe custom.decrypt(key, padding, cipherText, cipherTextLen, plainText, plainTextLen)
                ?? errSecUnimplemented
        }
        return unsafe SecKeyDecrypt(
            try Argument.key(key),
            SecPadding(rawValue: padding),
            try Argument.memory(cipherText),
            cipherTextLen,
            try Argument.memory(plainText),
            capacity
        )
    }
}

@available(*, deprecated)
@c(SecKeyRawVerify)
public func secKeyRawVerify(
    _ key: UnsafeRawPointer?,
    _ padding: UInt32,
    _ signedData: UnsafePointer<UInt8>?,
    _ signedDataLen: Int,
    _ sig: UnsafePointer<UInt8>?,
    _ sigLen: Int
) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        guard signedDataLen >= 0, sigLen >= 0 else { throw WrongArgument() }
        if let custom = unsafe CustomKey.at(key) {
            if let status = unsafe custom.verify(key, padding, signedData, signedDataLen, sig, sigLen) { return status }
            return unsafe custom.verify(
                key,
                padding,
                digest: UnsafeBufferPointer(start: try Argument.memory(signedData), count: signedDataLen),
                UnsafeBufferPointer(start: try Argument.memory(sig), count: sigLen)
            ) ?? errSecUnimplemented
        }
        let key = try unsafe Argument.key(key)
        let data = try unsafe Argument.memory(signedData)
        // Without a signature there is nothing that could be verified, nor to point to.
        guard sigLen > 0 else { return errSSLCrypto }
        return unsafe SecKeyRawVerify(
            key,
            SecPadding(rawValue: padding),
            data,
            signedDataLen,
            try Argument.memory(sig),
            sigLen
        )
    }
}
