import Crypto
package import KeychainModel

/// A password of an application's own, without which an item of its does not open
/// ([applicationPassword](https://developer.apple.com/documentation/security/secaccesscontrolcreateflags/applicationpassword)).
///
/// Its bytes are taken as they are: a program passes them on, and they are not typed on different keyboards.
package struct ApplicationPassword: Sendable {
    package let bytes: SecretBytes

    /// In bytes.
    package static let largestSize = 1_024

    /// - Throws: `invalidParameter` for one that is empty or has more than 1,024 bytes.
    package init(_ bytes: SecretBytes) throws(KeychainError) {
        guard 1...Self.largestSize ~= bytes.count else {
            throw KeychainError(.invalidParameter, "an application password has 1 to \(Self.largestSize) bytes")
        }
        self.bytes = bytes
    }
}

/// An item's key under an application password, as it lies inside the box of the class key: only the enclave can try
/// passwords on it, and it tries few.
///
/// The version 1 (1), what it costs to try a password (3: scrypt's parameters), a salt (16), and a box of AES-256-GCM
/// (60).
struct PasswordBoundKey {
    let cost: PasscodeCost
    private let salt: [UInt8]
    private let box: [UInt8]

    private static let version: UInt8 = 1
    static let size = 1 + 3 + 16 + Cipher.overhead + 32

    /// Takes as long as trying a password.
    init(
        _ key: SymmetricKey,
        under password: ApplicationPassword,
        cost: PasscodeCost,
        authenticating data: [UInt8]
    ) throws(KeychainError) {
        self.cost = cost
        salt = ItemUUID().bytes
        box = try Cipher.seal(
            key: key,
            under: Self.key(password, salt: salt, cost: cost),
            authenticating: data
        )
    }

    /// - Parameter unchecked: a cost that is out of bounds and taken all the same.
    init(_ bytes: SecretBytes, uncheckedCost unchecked: PasscodeCost) throws(KeychainError) {
        guard bytes.count == Self.size else { throw Self.damaged }
        var reader = FileReader((unsafe bytes.withUnsafeBytes { unsafe Array($0) })[...])
        guard try reader.byte() == Self.version else { throw Self.damaged }
        let (logN, r, p) = (try reader.byte(), try reader.byte(), try reader.byte())
        guard let cost = PasscodeCost(logN: logN, r: r, p: p) ?? (unchecked.bytes == [logN, r, p] ? unchecked : nil)
        else { throw Self.damaged }
        self.cost = cost
        salt = try reader.bytes(16)
        box = try reader.bytes(Self.size - 20)
    }

    var bytes: SecretBytes { SecretBytes([Self.version] + cost.bytes + salt + box) }

    /// Takes a large part of a second and 128 MiB; only one at a time.
    ///
    /// - Returns: nil for a wrong password.
    func key(under password: ApplicationPassword, authenticating data: [UInt8]) throws(KeychainError) -> SymmetricKey? {
        Cipher.openKey(box, under: try Self.key(password, salt: salt, cost: cost), authenticating: data)
    }

    private static func key(
        _ password: ApplicationPassword,
        salt: [UInt8],
        cost: PasscodeCost
    ) throws(KeychainError) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: try Scrypt.stretch(password.bytes, salt: salt, cost: cost, to: 32),
            salt: salt,
            info: Array("chatelaine application password 1".utf8),
            outputByteCount: 32
        )
    }

    private static let damaged = KeychainError(.undecodable, "an item's key is not as it was wrapped")
}

/// Wrong application passwords since the last right one, item by item. They live as long as the process: a user who may
/// end the enclave needs no guesses.
struct PasswordGuesses {
    private var wrong: [ItemUUID: Attempts] = [:]

    var isEmpty: Bool { wrong.isEmpty }

    /// More items than a person has.
    private static let most = 4_096

    /// Counts a try of a password, before it is made.
    ///
    /// - Throws: `authenticationFailed` while one has to wait.
    mutating func begin(_ item: ItemUUID, at clock: StartClock) throws(KeychainError) {
        let before = wrong[item] ?? .none
        let seconds = before.remaining(at: clock, hardware: nil)
        guard seconds == 0 else {
            throw KeychainError(
                .authenticationFailed,
                "wrong application passwords were given; the next one can be given in \(seconds) seconds"
            )
        }
        if wrong[item] == nil, wrong.count >= Self.most {
            // Entries without a remaining delay matter least.
            wrong = wrong.filter { $0.value.remaining(at: clock, hardware: nil) > 0 }
            guard wrong.count < Self.most else {
                throw KeychainError(.notAvailable, "too many wrong application passwords were given; try again later")
            }
        }
        wrong[item] = Attempts(count: before.count + 1, armed: clock.now)
    }

    mutating func succeeded(_ item: ItemUUID) {
        wrong[item] = nil
    }
}
