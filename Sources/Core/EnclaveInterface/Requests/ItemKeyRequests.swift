package import Crypto
package import KeychainModel

// What becomes of items' keys.

/// Wraps items' keys, each under the key of its class. The answer has a box for each.
package struct WrapRequest: EnclaveRequest {
    package static let description = RequestDescription(
        4,
        from: .service,
        on: .passcodes(unlessQuick: true),
        isRepeatable: true,
        answer: .boxes
    )

    package let keys: [UnwrappedItemKey]
    package let credentials: ItemCredentials

    package init(_ keys: [UnwrappedItemKey], with credentials: ItemCredentials = .none) {
        self.keys = keys
        self.credentials = credentials
    }

    package var takesTime: Bool { !credentials.isEmpty || keys.contains { $0.binding.needsCurrentBiometry } }

    package var keyCount: Int { keys.count }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        keys = try reader.list { (reader) throws(KeychainError) in
            UnwrappedItemKey(binding: try reader.itemBinding(), key: try reader.key())
        }
        credentials = try reader.credentials()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        writer.append(UInt16(clamping: keys.count))
        for key in keys {
            try writer.append(key.binding)
            try writer.append(key.key)
        }
        try writer.append(credentials)
    }

    package func completing(_ result: Result<[[UInt8]], KeychainError>) -> Result<[[UInt8]], KeychainError> {
        result.ofCount(keys.count).mapError { error in
            guard error.need != nil, let item = keys.first(where: { $0.binding.needsApplicationPassword }) else {
                return error
            }
            return error.about(new: item.binding.item)
        }
    }
}

/// Opens items' boxes.
package struct UnwrapRequest: EnclaveRequest {
    package static let description = RequestDescription(
        5,
        from: .service,
        on: .passcodes(unlessQuick: true),
        isRepeatable: true,
        answer: .keys
    )

    package let keys: [WrappedItemKey]
    package let credentials: ItemCredentials

    package init(_ keys: [WrappedItemKey], with credentials: ItemCredentials = .none) {
        self.keys = keys
        self.credentials = credentials
    }

    package var takesTime: Bool { !credentials.isEmpty || keys.contains { $0.binding.needsCurrentBiometry } }

    package var keyCount: Int { keys.count }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        keys = try reader.wrappedKeys()
        credentials = try reader.credentials()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        try writer.append(keys)
        try writer.append(credentials)
    }

    package func completing(
        _ result: Result<[Result<SymmetricKey, KeychainError>], KeychainError>
    ) -> Result<[Result<SymmetricKey, KeychainError>], KeychainError> {
        result.ofCount(keys.count).map { zip(keys, $0).map { item, key in key.mapError { $0.about(item.binding) } } }
    }
}

/// Wraps keys again, under the newest key of their class. The answer has no box for one that did not open.
package struct RewrapRequest: EnclaveRequest {
    package static let description = RequestDescription(
        15,
        from: .service,
        on: .changes(unlessQuick: true),
        answer: .optionalBoxes
    )

    package let keys: [WrappedItemKey]

    package init(_ keys: [WrappedItemKey]) {
        self.keys = keys
    }

    package var keyCount: Int { keys.count }

    package init(from reader: inout MessageReader) throws(KeychainError) { keys = try reader.wrappedKeys() }

    package func write(to writer: inout MessageWriter) throws(KeychainError) { try writer.append(keys) }

    package func completing(_ result: Result<[[UInt8]?], KeychainError>) -> Result<[[UInt8]?], KeychainError> {
        result.ofCount(keys.count)
    }
}

/// Makes new keys of all classes, as the owner has authorized.
package struct BeginRotationRequest: EnclaveRequest {
    package static let description = RequestDescription(6, from: .service, on: .changes(), answer: .state)

    package let token: AuthorizationToken

    package init(_ token: AuthorizationToken) {
        self.token = token
    }

    package init(from reader: inout MessageReader) throws(KeychainError) { token = try reader.token() }

    package func write(to writer: inout MessageWriter) throws(KeychainError) { writer.append(token.bytes) }
}

extension Enclave {
    /// Makes new class keys. The old ones stay beside them, for opening, until the rotation is finished.
    ///
    /// - Parameter token: from an `EnclaveControl`, for `rotateKeys`.
    package func beginRotation(_ token: AuthorizationToken) throws(KeychainError) -> EnclaveState {
        try answer(BeginRotationRequest(token))
    }
}

/// Nothing is wrapped any more under the keys from before a rotation.
package struct FinishRotationRequest: EnclaveRequest {
    package static let description = RequestDescription(7, from: .service, on: .changes(), answer: .state)

    package let generation: UInt64

    package init(_ generation: UInt64) {
        self.generation = generation
    }

    package init(from reader: inout MessageReader) throws(KeychainError) { generation = try reader.number() }

    package func write(to writer: inout MessageWriter) throws(KeychainError) { writer.append(generation) }
}

extension Enclave {
    /// Destroys the keys before the present ones: every row is under the present ones.
    ///
    /// - Parameter generation: the keybag's when the rows were looked through. Another one changes nothing: there may
    ///   be newer keys, which no row is under yet.
    package func finishRotation(of generation: UInt64) throws(KeychainError) -> EnclaveState {
        try answer(FinishRotationRequest(generation))
    }
}

extension Result where Failure == KeychainError, Success: Collection {
    /// A failure where there is not one answer for each key.
    fileprivate func ofCount(_ count: Int) -> Self {
        flatMap { $0.count == count ? self : .failure(EnclaveFailure.otherAnswer) }
    }
}
