import Crypto
package import KeychainModel

extension PEMBlock {
    /// The private key, whichever of the four forms it has.
    ///
    /// - Parameter password: UTF-8; of use only if the block is encrypted.
    /// - Returns: a PrivateKeyInfo.
    /// - Throws: `invalidParameter` for a block of another kind; `authenticationFailed` for a wrong password;
    ///   `undecodable`, `unimplemented`.
    package func privateKey(
        password: SecretBytes? = nil,
        limits: ExchangeLimits = .standard
    ) throws(KeychainError) -> SecretBytes {
        switch kind {
        case .privateKey:
            guard PrivateKeyInfo.hasForm(content) else { throw .malformed }
            return content
        case .encryptedPrivateKey: return try EncryptedPrivateKeyInfo.open(bytes, password: password, limits: limits)
        case .rsaPrivateKey: return try wrapped(password, PrivateKeyInfo.wrapping(rsa:))
        case .ellipticCurvePrivateKey: return try wrapped(password, PrivateKeyInfo.wrapping(ellipticCurve:))
        default: throw KeychainError(.invalidParameter, "the block is no private key of a known kind")
        }
    }

    private func wrapped(
        _ password: SecretBytes?,
        _ wrap: (SecretBytes) throws(KeychainError) -> SecretBytes
    ) throws(KeychainError) -> SecretBytes {
        guard isEncryptedInTheOldWay else { return try wrap(content) }
        let key = try decrypted(password)
        do throws(KeychainError) {
            return try wrap(key)
        } catch {
            // Nothing authenticates the bytes, and a wrong key may leave what could be padding.
            throw .wrongPassword
        }
    }

    /// Decrypts what OpenSSL encrypted before it knew PKCS #8 (PEM_read(3), "PEM encryption format").
    private func decrypted(_ password: SecretBytes?) throws(KeychainError) -> SecretBytes {
        let parts = value(of: "DEK-Info")?.split(separator: ",") ?? []
        guard parts.count == 2, let name = parts.first, let vector = parts.last.flatMap(Self.bytes(ofHexadecimal:))
        else {
            throw .malformed
        }
        let cipher: BlockCipher =
            switch name {
            case "AES-128-CBC": .aes(16)
            case "AES-192-CBC": .aes(24)
            case "AES-256-CBC": .aes(32)
            case "DES-EDE3-CBC": .tripleDES
            default: throw KeychainError(.unimplemented, "the block's cipher is not known here")
            }
        guard vector.count == cipher.blockSize else { throw .malformed }
        // It checks how long it is.
        let password = try ExchangePassword(password).utf8
        return try cipher.decrypt(bytes, key: Self.key(password, vector.prefix(8), cipher.keySize), vector: vector)
    }

    /// EVP_BytesToKey(3) with MD5 and one iteration.
    private static func key(_ password: SecretBytes, _ salt: ArraySlice<UInt8>, _ count: Int) -> SymmetricKey {
        var material: [UInt8] = []
        material.reserveCapacity(count + Insecure.MD5.byteCount)
        defer { material.zero() }
        while material.count < count {
            var hasher = Insecure.MD5()
            hasher.update(data: Array(material.suffix(Insecure.MD5.byteCount)))
            unsafe password.withUnsafeBytes { unsafe hasher.update(bufferPointer: $0) }
            hasher.update(data: Array(salt))
            material += hasher.finalize()
        }
        return SymmetricKey(data: material.prefix(count))
    }

    private static func bytes(ofHexadecimal text: Substring) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
