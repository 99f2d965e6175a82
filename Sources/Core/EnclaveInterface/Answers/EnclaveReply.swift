package import KeychainModel

/// The enclave's reply to a request: the answer that the request's type names, or the failure.
package struct EnclaveReply<Request: EnclaveRequest> {
    package let header: EnclaveMessage.Header
    package let result: Result<Request.Answer, KeychainError>

    /// Reads a reply.
    ///
    /// - Throws: `notAvailable` for anything other than a reply to a request of this kind.
    package init(_ bytes: some Collection<UInt8>, to _: Request.Type = Request.self) throws(KeychainError) {
        do throws(KeychainError) {
            var reader = try MessageReader(bytes)
            header = try reader.header()
            let form = Request.description.answer
            result =
                header.kind == form.number
                ? .success(try form.read(&reader)) : .failure(try EnclaveFailure.read(header.kind, &reader))
            try reader.finish()
        } catch {
            throw KeychainError(.notAvailable, "the enclave gave no answer that can be understood")
        }
    }
}

extension EnclaveRequest {
    /// The message with an answer.
    ///
    /// - Throws: `dataTooLarge` for more than a message can hold.
    package static func encoded(answer: Answer, id: UInt32, uid: UInt32) throws(KeychainError) -> [UInt8] {
        let form = description.answer
        var writer = MessageWriter(kind: form.number, id: id, uid: uid, keys: form.keyCount(answer))
        try form.write(answer, &writer)
        return try writer.finish()
    }

    /// The message with what came of a request. An answer that no message can hold is a failure.
    package static func reply(
        _ result: Result<Answer, KeychainError>,
        to header: EnclaveMessage.Header
    ) -> [UInt8] {
        do throws(KeychainError) {
            return try encoded(answer: result.get(), id: header.id, uid: header.uid)
        } catch {
            return EnclaveFailure.encoded(error, id: header.id, uid: header.uid)
        }
    }
}

/// The failure reply, which is the same for all requests.
package enum EnclaveFailure {
    package static let otherAnswer = KeychainError(
        .notAvailable,
        "the enclave answered something else than was asked"
    )

    private enum Kind: UInt8 {
        /// The owner was asked, or could not be.
        case unproved = 140
        /// A new item needs a password that was not given.
        case passwordNeeded = 141
        case failure = 255
    }

    package static func encoded(_ error: KeychainError, id: UInt32, uid: UInt32) -> [UInt8] {
        let kind: Kind =
            switch error.presence {
            case .failed: .unproved
            case .needed: .passwordNeeded
            case nil: .failure
            }
        var writer = MessageWriter(kind: kind.rawValue, id: id, uid: uid)
        switch error.presence {
        case .failed(let failure): writer.append(failure.rawValue)
        case .needed: break
        case nil:
            writer.append(error.code.number)
            writer.append(text: error.message)
        }
        return writer.finishSmall()
    }

    static func read(_ kind: UInt8, _ reader: inout MessageReader) throws(KeychainError) -> KeychainError {
        switch Kind(rawValue: kind) {
        case .unproved: return try reader.presenceFailure().error
        case .passwordNeeded: return PresenceLack.newPassword
        case .failure:
            guard let code = KeychainError.Code(number: try reader.byte()) else { throw MessageReader.malformed }
            return KeychainError(code, try reader.text())
        case nil: throw MessageReader.malformed
        }
    }
}
