public import Security

@c(SecPolicyGetTypeID)
public func secPolicyGetTypeID() -> CFTypeID { SecType.policy.identifier }

@c(SecPolicyCopyProperties)
public func secPolicyCopyProperties(_ policy: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in SecPolicyCopyProperties(try unsafe Argument.policy(policy)) }
}

@c(SecPolicyCreateBasicX509)
public func secPolicyCreateBasicX509() -> UnsafeRawPointer? {
    unsafe OutgoingObject.object(SecPolicyCreateBasicX509())
}

@c(SecPolicyCreateSSL)
public func secPolicyCreateSSL(_ server: UInt8, _ hostname: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        SecPolicyCreateSSL(server != 0, try unsafe Argument.optionalString(hostname))
    }
}

@c(SecPolicyCreateRevocation)
public func secPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> UnsafeRawPointer? {
    unsafe OutgoingObject.object(SecPolicyCreateRevocation(revocationFlags))
}

@c(SecPolicyCreateWithProperties)
public func secPolicyCreateWithProperties(
    _ policyIdentifier: UnsafeRawPointer?,
    _ properties: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        unsafe SecPolicyCreateWithProperties(
            try Argument.object(policyIdentifier),
            try Argument.optionalDictionary(properties)
        )
    }
}
