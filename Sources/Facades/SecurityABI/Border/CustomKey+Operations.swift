import CSecurity
import Foundation
import Security

// What the functions of SecKey.h ask such a key. Results are owned by the caller.
extension CustomKey {
    private enum Mode: Int {
        case perform = 0
        case check = 1
    }

    func supports(_ key: UnsafeRawPointer?, _ operation: SecKeyOperationType, _ algorithm: UnsafeRawPointer?) -> Bool {
        var failure: UnsafeRawPointer?
        let result = unsafe ask(key, operation, algorithm, .check, nil, nil, &failure)
        defer {
            unsafe OutgoingObject.release(result)
            unsafe OutgoingObject.release(failure)
        }
        return unsafe Self.isTrue(result)
    }

    /// Data that the program's function makes of others.
    func data(
        _ key: UnsafeRawPointer?,
        _ operation: SecKeyOperationType,
        _ algorithm: UnsafeRawPointer?,
        _ first: UnsafeRawPointer?,
        _ second: UnsafeRawPointer?,
        orError place: ObjectPlace?
    ) -> UnsafeRawPointer? {
        var failure: UnsafeRawPointer?
        let result = unsafe ask(key, operation, algorithm, .perform, first, second, &failure)
        if let result = unsafe result, unsafe IncomingObject.isData(at: result) {
            unsafe OutgoingObject.release(failure)
            return unsafe result
        }
        unsafe report(result, failure, errSecInternalComponent, to: place)
        return nil
    }

    func verifies(
        _ key: UnsafeRawPointer?,
        _ algorithm: UnsafeRawPointer?,
        _ data: UnsafeRawPointer?,
        _ signature: UnsafeRawPointer?,
        orError place: ObjectPlace?
    ) -> Bool {
        var failure: UnsafeRawPointer?
        let result = unsafe ask(key, .verify, algorithm, .perform, data, signature, &failure)
        if unsafe Self.isTrue(result) {
            unsafe OutgoingObject.release(result)
            unsafe OutgoingObject.release(failure)
            return true
        }
        unsafe report(result, failure, errSecVerifyFailed, to: place)
        return false
    }

    func representation(of key: UnsafeRawPointer?, orError place: ObjectPlace?) -> UnsafeRawPointer? {
        guard let copy = unsafe functions.copyExternalRepresentation else {
            unsafe Self.write(errSecUnimplemented, to: place)
            return nil
        }
        var failure: UnsafeRawPointer?
        let result = unsafe copy(key, &failure)
        if let result = unsafe result, unsafe IncomingObject.isData(at: result) {
            unsafe OutgoingObject.release(failure)
            return unsafe result
        }
        unsafe report(result, failure, errSecInternalComponent, to: place)
        return nil
    }

    // MARK: What they have in common

    private func ask(
        _ key: UnsafeRawPointer?,
        _ operation: SecKeyOperationType,
        _ algorithm: UnsafeRawPointer?,
        _ mode: Mode,
        _ first: UnsafeRawPointer?,
        _ second: UnsafeRawPointer?,
        _ failure: inout UnsafeRawPointer?
    ) -> UnsafeRawPointer? {
        guard let perform = unsafe functions.copyOperationResult else {
            unsafe Self.write(errSecUnimplemented, to: &failure)
            return nil
        }
        var all = unsafe [algorithm]
        let list = unsafe CSecurityCreateArray(&all, 1)
        let algorithms = unsafe list.map { unsafe UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
        return unsafe withExtendedLifetime(list) {
            unsafe perform(key, operation.rawValue, algorithm, algorithms, mode.rawValue, first, second, &failure)
        }
    }

    /// Says why there is no result: null stands for an algorithm that the key does not have.
    private func report(
        _ result: UnsafeRawPointer?,
        _ failure: UnsafeRawPointer?,
        _ status: OSStatus,
        to place: ObjectPlace?
    ) {
        let isNull = unsafe result.map { unsafe IncomingObject.isNull(at: $0) } ?? false
        unsafe OutgoingObject.release(result)
        guard let failure = unsafe failure else {
            return unsafe Self.write(isNull ? errSecParam : status, to: place)
        }
        guard let place = unsafe place else { return unsafe OutgoingObject.release(failure) }
        unsafe place.pointee = unsafe failure
    }

    private static func write(_ status: OSStatus, to place: ObjectPlace?) {
        let message = "the key, which the program implements itself, does not do this"
        unsafe Outcome.write(
            NSError(
                domain: NSOSStatusErrorDomain,
                code: Int(status),
                userInfo: [NSLocalizedDescriptionKey: message]
            ),
            to: place
        )
    }

    private static func isTrue(_ result: UnsafeRawPointer?) -> Bool {
        unsafe result.map { unsafe IncomingObject.isTrue(at: $0) } ?? false
    }
}
