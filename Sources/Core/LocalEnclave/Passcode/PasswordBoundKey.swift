import Crypto
import EnclaveInterface
import KeychainModel

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
        guard bytes.count == Self.size else { throw KeychainError.damagedItemKey }
        var reader = FieldReader((unsafe bytes.withUnsafeBytes { unsafe Array($0) })[...])
        guard try reader.byte() == Self.version else { throw KeychainError.damagedItemKey }
        let (logN, r, p) = (try reader.byte(), try reader.byte(), try reader.byte())
        guard let cost = PasscodeCost(logN: logN, r: r, p: p) ?? (unchecked.bytes == [logN, r, p] ? unchecked : nil)
        else { throw KeychainError.damagedItemKey }
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
}
