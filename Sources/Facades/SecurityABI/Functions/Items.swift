public import Security

@c(SecItemAdd)
public func secItemAdd(_ attributes: UnsafeRawPointer?, _ result: UnsafeMutablePointer<UnsafeRawPointer?>?) -> OSStatus
{
    unsafe Outcome.status(optionally: result) { result throws(WrongArgument) in
        unsafe SecItemAdd(try Argument.dictionary(attributes), result)
    }
}

@c(SecItemCopyMatching)
public func secItemCopyMatching(
    _ query: UnsafeRawPointer?,
    _ result: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    unsafe Outcome.status(optionally: result) { result throws(WrongArgument) in
        unsafe SecItemCopyMatching(try Argument.dictionary(query), result)
    }
}

@c(SecItemUpdate)
public func secItemUpdate(_ query: UnsafeRawPointer?, _ attributesToUpdate: UnsafeRawPointer?) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        unsafe SecItemUpdate(try Argument.dictionary(query), try Argument.dictionary(attributesToUpdate))
    }
}

@c(SecItemDelete)
public func secItemDelete(_ query: UnsafeRawPointer?) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in unsafe SecItemDelete(try Argument.dictionary(query)) }
}
