import CTPM
package import KeychainModel

/// What can be asked of a TPM while it is ours. Secrets go in and out encrypted, by the session.
@safe
package struct TPMSession: ~Copyable {
    private let pointer: OpaquePointer

    @unsafe
    init(_ pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    private func check(_ status: ctpm_status) throws(TPMFailure) {
        if let failure = unsafe TPMFailure(status, code: ctpm_last_code(pointer)) { throw failure }
    }

    package func properties() throws(TPMFailure) -> TPMProperties {
        var found = ctpm_properties()
        try check(unsafe ctpm_properties(pointer, &found))
        let manufacturer = unsafe withUnsafeBytes(of: &found.manufacturer) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return TPMProperties(
            isLockedOut: found.is_locked_out,
            failedTries: found.failed_tries,
            allowedTries: found.allowed_tries,
            interval: found.interval,
            manufacturer: manufacturer
        )
    }

    /// The name of a key that no clearing changes. Outside sessions alone.
    package func endorsementName() throws(TPMFailure) -> [UInt8] {
        var name = [UInt8](repeating: 0, count: Int(CTPM_NAME_SIZE))
        try check(unsafe ctpm_endorsement_name(pointer, &name))
        return name
    }

    /// 32 random bytes of the TPM's.
    package func random() throws(TPMFailure) -> SecretBytes {
        try unsafe secret(ofCount: 32) { bytes in unsafe ctpm_random(pointer, bytes.baseAddress, bytes.count) }
    }

    private func secret(
        ofCount count: Int,
        _ body: (UnsafeMutableBufferPointer<UInt8>) -> ctpm_status
    ) throws(TPMFailure) -> SecretBytes {
        var status = CTPM_FAILED
        let secret = unsafe SecretBytes(count: count) { bytes in
            unsafe status = body(bytes.assumingMemoryBound(to: UInt8.self))
        }
        try check(status)
        return secret
    }

    private func withBytes(
        of secret: SecretBytes,
        _ body: (UnsafeBufferPointer<UInt8>) -> ctpm_status
    ) throws(TPMFailure) {
        try check(unsafe secret.withUnsafeBytes { unsafe body($0.assumingMemoryBound(to: UInt8.self)) })
    }

    // MARK: - Sealing

    package func seal(_ secret: SecretBytes) throws(TPMFailure) -> SealedBlob {
        var blob = ctpm_blob()
        try unsafe withBytes(of: secret) { bytes in unsafe ctpm_seal(pointer, bytes.baseAddress, bytes.count, &blob) }
        return SealedBlob(&blob)
    }

    package func unseal(_ sealed: SealedBlob, count: Int) throws(TPMFailure) -> SecretBytes {
        guard var blob = sealed.blob else { throw TPMFailure(.failed) }
        var found = count
        let secret = unsafe try secret(ofCount: count) { bytes in
            unsafe ctpm_unseal(pointer, &blob, bytes.baseAddress, &found)
        }
        guard found == count else { throw TPMFailure(.failed) }
        return secret
    }

    // MARK: - Keys

    /// Makes a P-256 key that signs and agrees.
    ///
    /// - Parameter authorization: 32 bytes, by which it is used.
    package func makeKey(authorization: SecretBytes) throws(TPMFailure) -> UncheckedTPMKey {
        var blob = ctpm_blob()
        var name = [UInt8](repeating: 0, count: Int(CTPM_NAME_SIZE))
        try unsafe withAuthorization(authorization) { bytes in
            unsafe ctpm_make_key(pointer, bytes.baseAddress, &blob, &name)
        }
        return UncheckedTPMKey(parts: SealedBlob(&blob), name: name)
    }

    /// - Parameter digest: 32 bytes.
    package func signature(
        ofDigest digest: [UInt8],
        by key: SealedBlob,
        authorization: SecretBytes
    ) throws(TPMFailure) -> UnverifiedSignature {
        guard digest.count == Int(CTPM_NUMBER_SIZE), var blob = key.blob else { throw TPMFailure(.failed) }
        var signature = [UInt8](repeating: 0, count: 2 * Int(CTPM_NUMBER_SIZE))
        try unsafe withAuthorization(authorization) { bytes in
            unsafe ctpm_sign(pointer, &blob, bytes.baseAddress, digest, &signature)
        }
        return UnverifiedSignature(signature)
    }

    /// - Parameter point: x and y, 32 bytes each.
    package func product(
        of point: [UInt8],
        and key: SealedBlob,
        authorization: SecretBytes
    ) throws(TPMFailure) -> UncheckedProduct {
        guard point.count == 2 * Int(CTPM_NUMBER_SIZE), authorization.count == Int(CTPM_AUTHORIZATION_SIZE),
            var blob = key.blob
        else { throw TPMFailure(.failed) }
        return UncheckedProduct(
            try unsafe secret(ofCount: point.count) { bytes in
                unsafe authorization.withUnsafeBytes { auth in
                    let auth = unsafe auth.assumingMemoryBound(to: UInt8.self)
                    return unsafe ctpm_agree(pointer, &blob, auth.baseAddress, point, bytes.baseAddress)
                }
            }
        )
    }

    // MARK: - Indexes

    /// - Returns: nil where nothing is defined.
    package func look(at handle: UInt32) throws(TPMFailure) -> TPMIndex? {
        var found = ctpm_index()
        do throws(TPMFailure) {
            try check(unsafe ctpm_look(pointer, handle, &found))
        } catch {
            if error.reason == .noIndex { return nil }
            throw error
        }
        let kind: TPMIndex.Kind? =
            switch found.kind {
            case CTPM_SECRET: .secret
            case CTPM_COUNTER: .counter
            default: nil
            }
        return TPMIndex(
            kind: kind,
            isWritten: found.is_written,
            tag: unsafe withUnsafeBytes(of: &found.tag) { unsafe Array($0) }
        )
    }

    package func define(
        _ kind: TPMIndex.Kind,
        at handle: UInt32,
        tag: [UInt8],
        authorization: SecretBytes
    ) throws(TPMFailure) {
        guard tag.count == Int(CTPM_TAG_SIZE) else { throw TPMFailure(.failed) }
        try unsafe withAuthorization(authorization) { bytes in
            unsafe ctpm_define(pointer, handle, kind.code, tag, bytes.baseAddress)
        }
    }

    /// Overwrites a secret and takes the index away.
    package func undefine(_ kind: TPMIndex.Kind, at handle: UInt32) throws(TPMFailure) {
        try check(unsafe ctpm_undefine(pointer, handle, kind.code))
    }

    package func write(_ secret: SecretBytes, at handle: UInt32, authorization: SecretBytes) throws(TPMFailure) {
        try unsafe withAuthorization(authorization) { auth in
            unsafe secret.withUnsafeBytes { bytes in
                let bytes = unsafe bytes.assumingMemoryBound(to: UInt8.self)
                return unsafe ctpm_write(pointer, handle, auth.baseAddress, bytes.baseAddress, bytes.count)
            }
        }
    }

    package func read(_ count: Int, at handle: UInt32, authorization: SecretBytes) throws(TPMFailure) -> SecretBytes {
        guard authorization.count == Int(CTPM_AUTHORIZATION_SIZE) else { throw TPMFailure(.failed) }
        return unsafe try secret(ofCount: count) { bytes in
            unsafe authorization.withUnsafeBytes { auth in
                let auth = unsafe auth.assumingMemoryBound(to: UInt8.self)
                return unsafe ctpm_read(pointer, handle, auth.baseAddress, bytes.baseAddress, bytes.count)
            }
        }
    }

    package func increment(_ handle: UInt32, authorization: SecretBytes) throws(TPMFailure) {
        try unsafe withAuthorization(authorization) { bytes in unsafe ctpm_increment(pointer, handle, bytes.baseAddress)
        }
    }

    private func withAuthorization(
        _ authorization: SecretBytes,
        _ body: (UnsafeBufferPointer<UInt8>) -> ctpm_status
    ) throws(TPMFailure) {
        guard authorization.count == Int(CTPM_AUTHORIZATION_SIZE) else { throw TPMFailure(.failed) }
        try unsafe withBytes(of: authorization, body)
    }
}

/// What a TPM has sealed, or a key of its, as it wants to see it again.
package struct SealedBlob: Sendable, Equatable {
    package let publicPart: [UInt8]
    package let privatePart: [UInt8]

    package init(publicPart: [UInt8], privatePart: [UInt8]) {
        self.publicPart = publicPart
        self.privatePart = privatePart
    }
}

extension SealedBlob {
    fileprivate init(_ blob: inout ctpm_blob) {
        publicPart = unsafe withUnsafeBytes(of: &blob.public_part) { unsafe Array($0.prefix(Int(blob.public_size))) }
        privatePart = unsafe withUnsafeBytes(of: &blob.private_part) { unsafe Array($0.prefix(Int(blob.private_size))) }
    }

    /// Nil for one that is larger than any.
    fileprivate var blob: ctpm_blob? {
        guard publicPart.count <= Int(CTPM_BLOB_SIZE), privatePart.count <= Int(CTPM_BLOB_SIZE) else { return nil }
        var blob = ctpm_blob()
        blob.public_size = UInt16(publicPart.count)
        blob.private_size = UInt16(privatePart.count)
        unsafe withUnsafeMutableBytes(of: &blob.public_part) { unsafe $0.copyBytes(from: publicPart) }
        unsafe withUnsafeMutableBytes(of: &blob.private_part) { unsafe $0.copyBytes(from: privatePart) }
        return blob
    }
}

/// An index of a TPM's own memory.
package struct TPMIndex: Sendable, Equatable {
    package enum Kind: Sendable {
        /// 32 bytes, given out against the authorisation.
        case secret
        /// A number that only grows.
        case counter

        var code: ctpm_kind {
            switch self {
            case .secret: CTPM_SECRET
            case .counter: CTPM_COUNTER
            }
        }
    }

    /// Nil for one that is not like ours.
    package let kind: Kind?
    package let isWritten: Bool
    package let tag: [UInt8]
}
