public import Security

@c(SecCopyErrorMessageString)
public func secCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> UnsafeRawPointer? {
    unsafe OutgoingObject.object(SecCopyErrorMessageString(status, nil))
}
