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
        unsafe supports(key, operation, [algorithm], Self.name(of: algorithm))
    }

    /// Also where the key has a simpler algorithm, from which this one follows.
    private func supports(
        _ key: UnsafeRawPointer?,
        _ operation: SecKeyOperationType,
        _ algorithms: [UnsafeRawPointer?],
        _ name: String
    ) -> Bool {
        var failure: UnsafeRawPointer?
        let result = unsafe ask(key, operation, algorithms, .check, nil, nil, &failure)
        defer {
            unsafe OutgoingObject.release(result)
            unsafe OutgoingObject.release(failure)
        }
        if unsafe Self.isTrue(result) { return true }
        guard [.sign, .verify].contains(operation), unsafe Self.isNull(result), let step = SignatureStep(from: name)
        else { return false }
        let simpler = unsafe OutgoingObject.string(step.algorithm)
        defer { unsafe OutgoingObject.release(simpler) }
        return unsafe supports(key, operation, algorithms + [simpler], step.algorithm)
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
        let result =
            operation == .sign
            ? unsafe signature(key, [algorithm], Self.name(of: algorithm), of: first, &failure)
            : unsafe ask(key, operation, [algorithm], .perform, first, second, &failure)
        if let result = unsafe result, unsafe IncomingObject.isData(at: result) {
            unsafe OutgoingObject.release(failure)
            return unsafe result
        }
        unsafe report(result, failure, errSecInternalComponent, to: place)
        return nil
    }

    /// A signature by the key's own algorithm, or by one from which that follows.
    private func signature(
        _ key: UnsafeRawPointer?,
        _ algorithms: [UnsafeRawPointer?],
        _ name: String,
        of data: UnsafeRawPointer?,
        _ failure: inout UnsafeRawPointer?
    ) -> UnsafeRawPointer? {
        let result = unsafe ask(key, .sign, algorithms, .perform, data, nil, &failure)
        guard unsafe Self.isNull(result), let step = SignatureStep(from: name),
            let input = unsafe Self.data(at: data).flatMap(step.input)
        else { return unsafe result }
        unsafe OutgoingObject.release(result)
        unsafe Self.clear(&failure)
        let simpler = unsafe OutgoingObject.string(step.algorithm)
        let object = unsafe OutgoingObject.object(input as NSData)
        defer {
            unsafe OutgoingObject.release(simpler)
            unsafe OutgoingObject.release(object)
        }
        let made = unsafe signature(key, algorithms + [simpler], step.algorithm, of: object, &failure)
        guard step.changesForm, let bytes = unsafe Self.data(at: made) else { return unsafe made }
        unsafe OutgoingObject.release(made)
        return unsafe OutgoingObject.object(step.ownForm(of: bytes, blockSize: blockSize(of: key)) as NSData?)
    }

    /// What was said of an algorithm that the key does not have is not said of the next.
    private static func clear(_ failure: inout UnsafeRawPointer?) {
        unsafe OutgoingObject.release(failure)
        unsafe failure = nil
    }

    private static func name(of algorithm: UnsafeRawPointer?) -> String {
        unsafe (try? Argument.algorithm(algorithm)).map { String(describing: $0.rawValue) } ?? ""
    }

    private static func data(at pointer: UnsafeRawPointer?) -> Data? {
        guard let pointer = unsafe pointer, unsafe IncomingObject.isData(at: pointer) else { return nil }
        return unsafe (try? Argument.data(pointer)) as Data?
    }

    private static func isNull(_ result: UnsafeRawPointer?) -> Bool {
        unsafe result.map { unsafe IncomingObject.isNull(at: $0) } ?? false
    }

    func verifies(
        _ key: UnsafeRawPointer?,
        _ algorithm: UnsafeRawPointer?,
        _ data: UnsafeRawPointer?,
        _ signature: UnsafeRawPointer?,
        orError place: ObjectPlace?
    ) -> Bool {
        var failure: UnsafeRawPointer?
        let result = unsafe verification(key, [algorithm], Self.name(of: algorithm), data, signature, &failure)
        if unsafe Self.isTrue(result) {
            unsafe OutgoingObject.release(result)
            unsafe OutgoingObject.release(failure)
            return true
        }
        unsafe report(result, failure, errSecVerifyFailed, to: place)
        return false
    }

    /// What the key's own algorithm says of a signature, or one from which that follows.
    private func verification(
        _ key: UnsafeRawPointer?,
        _ algorithms: [UnsafeRawPointer?],
        _ name: String,
        _ data: UnsafeRawPointer?,
        _ signature: UnsafeRawPointer?,
        _ failure: inout UnsafeRawPointer?
    ) -> UnsafeRawPointer? {
        let result = unsafe ask(key, .verify, algorithms, .perform, data, signature, &failure)
        guard unsafe Self.isNull(result), let step = SignatureStep(from: name),
            let input = unsafe Self.data(at: data).flatMap(step.input),
            let bytes = unsafe Self.data(at: signature)
        else { return unsafe result }
        unsafe OutgoingObject.release(result)
        unsafe Self.clear(&failure)
        // What has another form is no signature, and nothing is asked.
        guard let simplerSignature = step.simplerForm(of: bytes) else { return nil }
        let simpler = unsafe OutgoingObject.string(step.algorithm)
        let object = unsafe OutgoingObject.object(input as NSData)
        let signatureObject = unsafe OutgoingObject.object(simplerSignature as NSData)
        defer {
            unsafe OutgoingObject.release(simpler)
            unsafe OutgoingObject.release(object)
            unsafe OutgoingObject.release(signatureObject)
        }
        return unsafe verification(
            key,
            algorithms + [simpler],
            step.algorithm,
            object,
            signatureObject,
            &failure
        )
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
        _ algorithms: [UnsafeRawPointer?],
        _ mode: Mode,
        _ first: UnsafeRawPointer?,
        _ second: UnsafeRawPointer?,
        _ failure: inout UnsafeRawPointer?
    ) -> UnsafeRawPointer? {
        guard let perform = unsafe functions.copyOperationResult else {
            unsafe Self.write(errSecUnimplemented, to: &failure)
            return nil
        }
        var all = unsafe algorithms
        let algorithm = unsafe algorithms.last ?? nil
        let list = unsafe CSecurityCreateArray(&all, all.count)
        let objects = unsafe list.map { unsafe UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
        return unsafe withExtendedLifetime(list) {
            unsafe perform(key, operation.rawValue, algorithm, objects, mode.rawValue, first, second, &failure)
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
