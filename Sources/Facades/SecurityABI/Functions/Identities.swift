public import Security

@c(SecIdentityGetTypeID)
public func secIdentityGetTypeID() -> CFTypeID { SecType.identity.identifier }

@c(SecIdentityCreate)
public func secIdentityCreate(
    _ allocator: UnsafeRawPointer?,
    _ certificate: UnsafeRawPointer?,
    _ privateKey: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        SecIdentityCreate(nil, try unsafe Argument.certificate(certificate), try unsafe Argument.key(privateKey))
    }
}

@c(SecIdentityCreateWithCertificate)
public func secIdentityCreateWithCertificate(
    _ keychainOrArray: UnsafeRawPointer?,
    _ certificate: UnsafeRawPointer?,
    _ identity: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    unsafe Outcome.status(writingTo: identity) { identity throws(WrongArgument) in
        unsafe SecIdentityCreateWithCertificate(
            try Argument.optionalObject(keychainOrArray),
            try Argument.certificate(certificate),
            identity
        )
    }
}

@c(SecIdentityCopyCertificate)
public func secIdentityCopyCertificate(
    _ identity: UnsafeRawPointer?,
    _ certificate: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    unsafe Outcome.status(writingTo: certificate) { certificate throws(WrongArgument) in
        unsafe SecIdentityCopyCertificate(try Argument.identity(identity), certificate)
    }
}

@c(SecIdentityCopyPrivateKey)
public func secIdentityCopyPrivateKey(
    _ identity: UnsafeRawPointer?,
    _ privateKey: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    unsafe Outcome.status(writingTo: privateKey) { privateKey throws(WrongArgument) in
        unsafe SecIdentityCopyPrivateKey(try Argument.identity(identity), privateKey)
    }
}

@c(SecIdentityCopyPreferred)
public func secIdentityCopyPreferred(
    _ name: UnsafeRawPointer?,
    _ keyUsage: UnsafeRawPointer?,
    _ validIssuers: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        unsafe SecIdentityCopyPreferred(
            try Argument.string(name),
            try Argument.optionalArray(keyUsage),
            try Argument.optionalArray(validIssuers)
        )
    }
}

@c(SecIdentitySetPreferred)
public func secIdentitySetPreferred(
    _ identity: UnsafeRawPointer?,
    _ name: UnsafeRawPointer?,
    _ keyUsage: UnsafeRawPointer?
) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        unsafe SecIdentitySetPreferred(
            try Argument.optionalIdentity(identity),
            try Argument.string(name),
            try Argument.optionalArray(keyUsage)
        )
    }
}
