import KeychainCertificates
package import KeychainModel

/// How a PKCS #12 file is protected.
package enum PKCS12Protection: Sendable {
    /// PBES2 with AES-256-CBC by PBKDF2 with HMAC-SHA-256, and a MAC with SHA-256.
    ///
    /// - Parameter iterations: of each derivation. Nil for 600,000, and fewer for more than 14 keys: every key costs its
    ///   reader as many, and those that guess attack the MAC, which all have to be as good as.
    case current(iterations: Int? = nil)
    /// 3DES for keys and certificates, and a MAC with SHA-1, for old systems that know nothing else. It needs libgcrypt.
    ///
    /// - Parameter iterations: nil for 100,000, and fewer for more than 14 keys.
    case legacy(iterations: Int? = nil)

    func iterations(forKeys count: Int) -> Int {
        switch self {
        case .current(let iterations): iterations ?? min(EncryptedPrivateKeyInfo.iterations, 10_000_000 / (count + 2))
        case .legacy(let iterations): iterations ?? min(100_000, 1_600_000 / (count + 2))
        }
    }

    fileprivate func scheme(_ iterations: Int) -> PasswordEncryption.Scheme {
        switch self {
        case .current: .aes256(iterations: iterations)
        case .legacy: .tripleDES(iterations: iterations)
        }
    }

    fileprivate var isOld: Bool {
        if case .legacy = self { true } else { false }
    }
}

extension PKCS12Contents {
    /// Writes a file: the certificates encrypted together, each key by itself.
    ///
    /// - Parameter password: UTF-8; an empty one protects nothing, and is taken.
    /// - Returns: a PFX in DER.
    /// - Throws: `invalidParameter` for keys that are no PrivateKeyInfo, and for more than can be read back.
    package func encoded(
        password: SecretBytes,
        protection: PKCS12Protection = .current()
    ) throws(KeychainError) -> [UInt8] {
        guard keys.count + certificates.count + 2 <= ExchangeLimits.standard.bags else { throw Self.tooMuch }
        let iterations = protection.iterations(forKeys: keys.count)
        try Self.checkWork(of: keys.count, iterations, protection)
        let scheme = protection.scheme(iterations)
        let password = try ExchangePassword(password)
        var safes: [[UInt8]] = []
        if !certificates.isEmpty { safes.append(try encryptedCertificates(password, scheme)) }
        if !keys.isEmpty {
            var bags: [[UInt8]] = []
            for key in keys { bags.append(try bag(of: key, password, scheme)) }
            safes.append(Self.content(.data, Encoding.octets(Encoding.sequence(of: bags))))
        }
        let safe = Encoding.sequence(of: safes)
        let file = Encoding.sequence(
            Encoding.integer(3),
            Self.content(.data, Encoding.octets(safe)),
            PKCS12MAC.encoded(for: safe, password, iterations: iterations, isOld: protection.isOld)
        )
        guard file.count <= ExchangeLimits.largestFile else { throw Self.tooMuch }
        return file
    }

    /// What is written has to be readable, here too.
    static func checkWork(
        of keys: Int,
        _ iterations: Int,
        _ protection: PKCS12Protection
    ) throws(KeychainError) {
        var budget = WorkBudget(.standard)
        do throws(KeychainError) {
            // The MAC, the certificates, and the keys; an empty password may be tried twice.
            try budget.spend(iterations, blocks: 2)
            try budget.spend(iterations, blocks: (keys + 1) * (protection.isOld ? 3 : 1))
        } catch {
            throw tooMuch
        }
    }

    private static let tooMuch = KeychainError(
        .invalidParameter,
        "nobody would read so many keys, certificates or iterations"
    )

    private func encryptedCertificates(
        _ password: ExchangePassword,
        _ scheme: PasswordEncryption.Scheme
    ) throws(KeychainError) -> [UInt8] {
        let bags = certificates.map { certificate in
            Self.bag(
                .certificateBag,
                Encoding.sequence(
                    Encoding.object(.x509Certificate),
                    Encoding.tagged(0, Encoding.octets(certificate.der))
                ),
                certificate.friendlyName,
                certificate.localKeyID
            )
        }
        let plaintext = SecretBytes(Encoding.sequence(of: bags))
        let (algorithm, ciphertext) = try PasswordEncryption.encrypt(plaintext, scheme, password: password)
        let encrypted = Encoding.sequence(Encoding.object(.data), algorithm, Encoding.element(0x80, ciphertext))
        return Self.content(.encryptedData, Encoding.sequence(Encoding.integer(0), encrypted))
    }

    private func bag(
        of key: Key,
        _ password: ExchangePassword,
        _ scheme: PasswordEncryption.Scheme
    ) throws(KeychainError) -> [UInt8] {
        Self.bag(
            .shroudedKeyBag,
            try EncryptedPrivateKeyInfo.seal(key.privateKey, scheme, password),
            key.friendlyName,
            key.localKeyID
        )
    }

    private static func bag(_ type: OID, _ value: [UInt8], _ friendlyName: String?, _ localKeyID: [UInt8]?) -> [UInt8] {
        Encoding.sequence(
            Encoding.object(type),
            Encoding.tagged(0, value),
            BagAttributes.encoded(friendlyName: friendlyName, localKeyID: localKeyID)
        )
    }

    private static func content(_ type: OID, _ value: [UInt8]) -> [UInt8] {
        Encoding.sequence(Encoding.object(type), Encoding.tagged(0, value))
    }
}
