package import EnclaveInterface
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
