package import KeychainModel

// Private keys that never leave the enclave.

package struct MakePrivateKeyRequest: EnclaveRequest {
    package static let description = RequestDescription(19, from: .service, on: .passcodes(), answer: .enclaveKey)

    package let template: EnclaveKeyTemplate
    package let credentials: ItemCredentials

    package init(_ template: EnclaveKeyTemplate, with credentials: ItemCredentials) {
        self.template = template
        self.credentials = credentials
    }

    package var takesTime: Bool { true }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        template = try reader.keyTemplate()
        credentials = try reader.credentials()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        try writer.append(template)
        try writer.append(credentials)
    }

    package func completing(_ result: Result<EnclaveKey, KeychainError>) -> Result<EnclaveKey, KeychainError> {
        // Its uuid is made with it.
        result.mapError { $0.about(new: GuardedItem(ItemUUID(), in: template.accessGroup)) }
    }
}

extension Enclave {
    /// Makes a private key; one on P-256 in the device's hardware, where that makes keys.
    ///
    /// - Throws: `interactionNotAllowed` while its class is locked, and, with the `PresenceNeed`, where a password is
    ///   needed and none is given; `notAvailable` where the hardware does not answer.
    package func makeKey(
        _ template: EnclaveKeyTemplate,
        with credentials: ItemCredentials
    ) throws(KeychainError) -> EnclaveKey {
        try answer(MakePrivateKeyRequest(template, with: credentials))
    }
}

/// Signs, or agrees on a secret. The answer says what the owner has to prove first.
package struct UsePrivateKeyRequest: EnclaveRequest {
    package static let description = RequestDescription(
        20,
        from: .service,
        on: .passcodes(unlessQuick: true),
        answer: .used
    )

    package let key: EnclaveKey
    package let use: KeyUse
    package let credentials: ItemCredentials

    package init(_ key: EnclaveKey, for use: KeyUse, with credentials: ItemCredentials) {
        self.key = key
        self.use = use
        self.credentials = credentials
    }

    package var takesTime: Bool {
        !credentials.isEmpty || key.header.accessControl.keyUseNeedsCurrentBiometry || key.kind.takesTime
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        key = try reader.enclaveKey()
        use = try reader.keyUse()
        credentials = try reader.credentials()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        try writer.append(short: key.bytes)
        try writer.append(use)
        try writer.append(credentials)
    }

    package func completing(
        _ result: Result<Result<SecretBytes, KeychainError>, KeychainError>
    ) -> Result<Result<SecretBytes, KeychainError>, KeychainError> {
        let item = GuardedItem(key.header.uuid, in: key.header.accessGroup)
        return result.map { $0.mapError { $0.about(item, key.header.accessControl.keyUseDemand) } }
    }
}

extension Enclave {
    /// Has a private key do something.
    ///
    /// - Throws: `undecodable` where the key, or anything it is bound to, is not as it was made; else as `unwrap` has
    ///   it for an item; `invalidParameter` for a point that is not on the curve, and for what keys of the algorithm do
    ///   not do; `dataTooLarge` for a message that is too long; `notAvailable` where the hardware does not answer.
    package func use(
        _ key: EnclaveKey,
        for use: KeyUse,
        with credentials: ItemCredentials
    ) throws(KeychainError) -> SecretBytes {
        try answer(UsePrivateKeyRequest(key, for: use, with: credentials)).get()
    }
}

extension EnclaveKey.Kind {
    /// Hardware takes a part of a second. ML-DSA takes up to milliseconds: it begins anew until a signature reveals nothing
    /// (FIPS 204, algorithm 7).
    fileprivate var takesTime: Bool {
        switch self {
        case .software, .mlkem768, .mlkem1024: false
        case .tpm, .mldsa65, .mldsa87: true
        }
    }
}
