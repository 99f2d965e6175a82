import CSecurity

/// A block of a C program, copied and kept.
@safe
final class Block: @unchecked Sendable {
    // `@unchecked`: it is written once; who calls a block decides where it runs.
    private let pointer: UnsafeRawPointer

    init(_ block: UnsafeRawPointer?) throws(WrongArgument) {
        guard let block = unsafe block, let copy = unsafe CSecurityBlockCopy(block) else { throw WrongArgument() }
        unsafe pointer = copy
    }

    deinit {
        unsafe CSecurityBlockRelease(pointer)
    }

    func call(_ trust: UnsafeRawPointer, result: UInt32) {
        unsafe CSecurityCallWithResult(pointer, trust, result)
    }

    func call(_ trust: UnsafeRawPointer, result: Bool, error: UnsafeRawPointer?) {
        unsafe CSecurityCallWithTrust(pointer, trust, result, error)
    }

    func call(error: UnsafeRawPointer?) {
        unsafe CSecurityCallWithError(pointer, error)
    }

    func call(objects: UnsafeRawPointer?, error: UnsafeRawPointer?) {
        unsafe CSecurityCallWithObjects(pointer, objects, error)
    }
}
