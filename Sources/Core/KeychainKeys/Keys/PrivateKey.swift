package import KeychainCertificates
package import KeychainModel

/// The private half of a pair of keys.
package struct PrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
    package enum Backing: Sendable {
        case rsa(RSAPrivateKey)
        /// In this process, if it is a `CurvePrivateKey`, or in a process or device that never releases it.
        case ellipticCurve(any PrivateKeyOperations)
    }

    /// What keys are named by.
    package enum Family: Sendable, CaseIterable {
        case rsa
        case ellipticCurve
    }

    package let backing: Backing

    package init(_ key: RSAPrivateKey) {
        backing = .rsa(key)
    }

    package init(_ key: any PrivateKeyOperations) {
        backing = .ellipticCurve(key)
    }

    /// Reads an external representation: for RSA, RSAPrivateKey (PKCS #1) in DER; for curves 04, both coordinates and
    /// the private number, each as long as a coordinate.
    ///
    /// - Throws: `invalidParameter` for anything else, also where the halves do not belong together; `unimplemented`
    ///   for an RSA key of a size or an exponent that is not used here.
    package init(externalRepresentation bytes: SecretBytes, _ family: Family) throws(KeychainError) {
        switch family {
        case .rsa: self.init(try RSAPrivateKey(externalRepresentation: bytes))
        case .ellipticCurve: self.init(try CurvePrivateKey(externalRepresentation: bytes))
        }
    }

    /// Makes a key. RSA has the public exponent 65537.
    ///
    /// - Parameter sizeInBits: 256, 384 or 521 on curves; 1024 to 8192 for RSA, of which the largest take
    ///   minutes.
    /// - Throws: `invalidParameter` for a size that no such key has, `unimplemented` for one that is not made here.
    package static func generate(_ family: Family, sizeInBits: Int) throws(KeychainError) -> PrivateKey {
        switch family {
        case .rsa: return PrivateKey(try RSAPrivateKey(generatedSize: sizeInBits))
        case .ellipticCurve:
            guard let curve = EllipticCurve(sizeInBits: sizeInBits) else {
                // Apple has keys on these curves, and swift-crypto has not.
                throw [192, 224].contains(sizeInBits)
                    ? KeychainError(.unimplemented, "there are keys on P-256, P-384 and P-521 only")
                    : KeychainError(.invalidParameter, "no curve has keys of this size")
            }
            return PrivateKey(try CurvePrivateKey(generatedOn: curve))
        }
    }

    package var publicKey: PublicKey {
        switch backing {
        case .rsa(let key): key.publicKey
        case .ellipticCurve(let key): key.publicKey
        }
    }

    /// What `init(externalRepresentation:_:)` reads.
    ///
    /// - Throws: `unimplemented` for a key that is not in this process.
    package var externalRepresentation: SecretBytes {
        get throws(KeychainError) {
            switch backing {
            case .rsa(let key): key.externalRepresentation
            case .ellipticCurve(let key): try key.inThisProcess.externalRepresentation
            }
        }
    }

    package var description: String { "[REDACTED]" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension PrivateKeyOperations {
    var inThisProcess: CurvePrivateKey {
        get throws(KeychainError) {
            guard let key = self as? CurvePrivateKey else {
                throw KeychainError(.unimplemented, "the key cannot leave where it is")
            }
            return key
        }
    }
}

extension PublicKey {
    /// What is known of the key without its numbers.
    package var keyKind: KeyKind {
        switch kind {
        case .rsa: .rsa(sizeInBits: sizeInBits)
        case .ellipticCurve(let curve, _, _): .ellipticCurve(curve)
        case .ed25519: .ed25519
        }
    }

    /// Whether the key supports an operation.
    package func supports(_ operation: KeyOperation, _ algorithm: KeyAlgorithm) -> Bool {
        hasUsableExponent && algorithm.isSupported(for: operation, by: .publicKey, of: keyKind)
    }
}

extension PrivateKey {
    /// Whether the key supports an operation.
    package func supports(_ operation: KeyOperation, _ algorithm: KeyAlgorithm) -> Bool {
        algorithm.isSupported(for: operation, by: .privateKey, of: publicKey.keyKind)
    }
}
