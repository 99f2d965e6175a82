public import Security

@c(SecTrustSetPolicies)
public func secTrustSetPolicies(_ trust: UnsafeRawPointer?, _ policies: UnsafeRawPointer?) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        unsafe SecTrustSetPolicies(try Argument.trust(trust), try Argument.object(policies))
    }
}

@c(SecTrustSetAnchorCertificates)
public func secTrustSetAnchorCertificates(_ trust: UnsafeRawPointer?, _ anchors: UnsafeRawPointer?) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        unsafe SecTrustSetAnchorCertificates(try Argument.trust(trust), try Argument.optionalArray(anchors))
    }
}

@c(SecTrustSetAnchorCertificatesOnly)
public func secTrustSetAnchorCertificatesOnly(_ trust: UnsafeRawPointer?, _ anchorsOnly: UInt8) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        SecTrustSetAnchorCertificatesOnly(try unsafe Argument.trust(trust), anchorsOnly != 0)
    }
}

@c(SecTrustSetVerifyDate)
public func secTrustSetVerifyDate(_ trust: UnsafeRawPointer?, _ verifyDate: UnsafeRawPointer?) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        unsafe SecTrustSetVerifyDate(try Argument.trust(trust), try Argument.date(verifyDate))
    }
}

@c(SecTrustSetNetworkFetchAllowed)
public func secTrustSetNetworkFetchAllowed(_ trust: UnsafeRawPointer?, _ allowFetch: UInt8) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        SecTrustSetNetworkFetchAllowed(try unsafe Argument.trust(trust), allowFetch != 0)
    }
}

@c(SecTrustGetNetworkFetchAllowed)
public func secTrustGetNetworkFetchAllowed(
    _ trust: UnsafeRawPointer?,
    _ allowFetch: UnsafeMutablePointer<UInt8>?
) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        let allowFetch = try unsafe Argument.memory(allowFetch)
        var isAllowed: DarwinBoolean = false
        let status = unsafe SecTrustGetNetworkFetchAllowed(try Argument.trust(trust), &isAllowed)
        if status == errSecSuccess { unsafe allowFetch.pointee = isAllowed.boolValue ? 1 : 0 }
        return status
    }
}

@c(SecTrustSetOCSPResponse)
public func secTrustSetOCSPResponse(_ trust: UnsafeRawPointer?, _ responses: UnsafeRawPointer?) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        unsafe SecTrustSetOCSPResponse(try Argument.trust(trust), try Argument.optionalObject(responses))
    }
}

@c(SecTrustSetSignedCertificateTimestamps)
public func secTrustSetSignedCertificateTimestamps(
    _ trust: UnsafeRawPointer?,
    _ timestamps: UnsafeRawPointer?
) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        unsafe SecTrustSetSignedCertificateTimestamps(try Argument.trust(trust), try Argument.optionalArray(timestamps))
    }
}

@c(SecTrustSetExceptions)
public func secTrustSetExceptions(_ trust: UnsafeRawPointer?, _ exceptions: UnsafeRawPointer?) -> Bool {
    Outcome.value(refused: false) { () throws(WrongArgument) in
        unsafe SecTrustSetExceptions(try Argument.trust(trust), try Argument.optionalData(exceptions))
    }
}

@c(SecTrustSetOptions)
public func secTrustSetOptions(_ trust: UnsafeRawPointer?, _ options: UInt32) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        SecTrustSetOptions(try unsafe Argument.trust(trust), SecTrustOptionFlags(rawValue: options))
    }
}

@available(*, deprecated)
@c(SecTrustSetKeychains)
public func secTrustSetKeychains(_ trust: UnsafeRawPointer?, _ keychainOrArray: UnsafeRawPointer?) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        unsafe SecTrustSetKeychains(try Argument.trust(trust), try Argument.optionalObject(keychainOrArray))
    }
}
