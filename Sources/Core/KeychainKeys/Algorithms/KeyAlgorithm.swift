/// What a key does to its input: the algorithm, its padding, its digest and the form of the result.
package enum KeyAlgorithm: Hashable, Sendable {
    /// RSA without padding: the caller has padded.
    case rsaSignatureRaw
    /// RSA with PKCS #1 padding over the given bytes.
    case rsaSignaturePKCS1v15
    case rsaSignature(RSASignaturePadding, SignatureInput, KeyHash)
    /// Without a hash, over a digest of any length, and never over a message.
    case ecdsaSignature(ECDSAForm, SignatureInput, KeyHash?)
    case rsaEncryption(RSAEncryptionPadding)
    /// AES-GCM under a new key that RSA with OAEP carries.
    case rsaEncryptionAESGCM(KeyHash)
    /// AES-GCM under a key that is derived from the secret shared with a new key.
    case eciesEncryption(SharedSecretKind, KeyHash, InitializationVector)
    /// Without a hash, the shared secret itself; with one, what is derived of it.
    case keyExchange(SharedSecretKind, KeyHash?)

    /// PSS has the digest's function in MGF1 as well, and salt as long as the digest.
    package enum RSASignaturePadding: String, Sendable, CaseIterable {
        case pkcs1v15 = "PKCS1v15"
        case pss = "PSS"
    }

    package enum SignatureInput: String, Sendable, CaseIterable {
        /// The caller has computed it.
        case digest
        /// It is hashed here.
        case message
    }

    package enum ECDSAForm: String, Sendable, CaseIterable {
        /// A SEQUENCE of two INTEGERs in DER.
        case x962 = "X962"
        /// Two numbers of fixed length, one after the other.
        case rfc4754 = "RFC4754"
    }

    package enum RSAEncryptionPadding: Hashable, Sendable {
        case none
        case pkcs1
        /// The hash is MGF1's as well; there is no label.
        case oaep(KeyHash)
    }

    /// The cofactor of all our curves is 1: both come to the same.
    package enum SharedSecretKind: String, Sendable, CaseIterable {
        case standard = "ECDH"
        case cofactor = "ECDHC"
    }

    package enum InitializationVector: String, Sendable, CaseIterable {
        /// Sixteen zeros.
        case zeros = "AESGCM"
        /// Sixteen bytes that are derived after the key.
        case derived = "AESGCM-KDFIV"
    }
}

extension KeyAlgorithm {
    /// The algorithm of a name ("algid:sign:RSA:raw").
    ///
    /// - Returns: nil for a name that is unknown, among them those of EdDSA and of algorithms against quantum
    ///   computers.
    package init?(identifier: String) {
        guard let algorithm = Self.byIdentifier[identifier] else { return nil }
        self = algorithm
    }

    /// Its name.
    package var identifier: String {
        switch self {
        case .rsaSignatureRaw: "algid:sign:RSA:raw"
        case .rsaSignaturePKCS1v15: "algid:sign:RSA:digest-PKCS1v15"
        case .rsaSignature(.pkcs1v15, let input, let hash): "algid:sign:RSA:\(input.rawValue)-PKCS1v15:\(hash.rawValue)"
        case .rsaSignature(.pss, let input, let hash):
            // Apple's name says 24 for SHA-224; the salt is as long as the digest all the same.
            "algid:sign:RSA:\(input.rawValue)-PSS:\(hash.rawValue):\(hash.rawValue):\(hash == .sha224 ? 24 : hash.size)"
        case .ecdsaSignature(let form, let input, let hash):
            "algid:sign:ECDSA:\(input.rawValue)-\(form.rawValue)" + (hash.map { ":" + $0.rawValue } ?? "")
        case .rsaEncryption(.none): "algid:encrypt:RSA:raw"
        case .rsaEncryption(.pkcs1): "algid:encrypt:RSA:PKCS1"
        case .rsaEncryption(.oaep(let hash)): "algid:encrypt:RSA:OAEP:\(hash.rawValue)"
        case .rsaEncryptionAESGCM(let hash): "algid:encrypt:RSA:OAEP:\(hash.rawValue):AESGCM"
        case .eciesEncryption(let kind, let hash, let vector):
            "algid:encrypt:ECIES:\(kind.rawValue):KDFX963:\(hash.rawValue):\(vector.rawValue)"
        case .keyExchange(let kind, let hash):
            "algid:keyexchange:\(kind.rawValue)" + (hash.map { ":KDFX963:" + $0.rawValue } ?? "")
        }
    }

    /// All that are known, each once.
    package static let all: [KeyAlgorithm] = {
        var all: [KeyAlgorithm] = [
            .rsaSignatureRaw, .rsaSignaturePKCS1v15, .rsaEncryption(.none), .rsaEncryption(.pkcs1),
        ]
        for hash in KeyHash.allCases {
            all += [.rsaEncryption(.oaep(hash)), .rsaEncryptionAESGCM(hash)]
            for input in SignatureInput.allCases {
                all += RSASignaturePadding.allCases.map { .rsaSignature($0, input, hash) }
                all += ECDSAForm.allCases.map { .ecdsaSignature($0, input, hash) }
            }
            for kind in SharedSecretKind.allCases {
                all += [.keyExchange(kind, hash), .eciesEncryption(kind, hash, .zeros)]
                // Apple has none of these with SHA-1.
                if hash != .sha1 { all.append(.eciesEncryption(kind, hash, .derived)) }
            }
        }
        all += ECDSAForm.allCases.map { .ecdsaSignature($0, .digest, nil) }
        all += SharedSecretKind.allCases.map { .keyExchange($0, nil) }
        return all
    }()

    private static let byIdentifier: [String: KeyAlgorithm] = {
        var algorithms = Dictionary(all.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        // A deprecated name.
        algorithms["algid:sign:ECDSA:RFC4754"] = .ecdsaSignature(.rfc4754, .digest, nil)
        return algorithms
    }()
}
