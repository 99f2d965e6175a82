public import Security

@c(SecItemAdd)
public func secItemAdd(_ attributes: UnsafeRawPointer?, _ result: UnsafeMutablePointer<UnsafeRawPointer?>?) -> OSStatus {
    guard let attributes = unsafe IncomingObject.dictionary(attributes) else { return errSecParam }
    return unsafe OutgoingResult.status(writingTo: result) { unsafe SecItemAdd(attributes, $0) }
}

@c(SecItemCopyMatching)
public func secItemCopyMatching(
    _ query: UnsafeRawPointer?,
    _ result: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    guard let query = unsafe IncomingObject.dictionary(query) else { return errSecParam }
    return unsafe OutgoingResult.status(writingTo: result) { unsafe SecItemCopyMatching(query, $0) }
}

@c(SecItemUpdate)
public func secItemUpdate(_ query: UnsafeRawPointer?, _ attributesToUpdate: UnsafeRawPointer?) -> OSStatus {
    guard let query = unsafe IncomingObject.dictionary(query),
        let attributesToUpdate = unsafe IncomingObject.dictionary(attributesToUpdate)
    else { return errSecParam }
    return SecItemUpdate(query, attributesToUpdate)
}

@c(SecItemDelete)
public func secItemDelete(_ query: UnsafeRawPointer?) -> OSStatus {
    guard let query = unsafe IncomingObject.dictionary(query) else { return errSecParam }
    return SecItemDelete(query)
}
