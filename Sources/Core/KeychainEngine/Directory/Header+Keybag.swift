import KeychainModel
import KeychainStore
import KeychainVault

extension Header {
    private static let version: UInt8 = 1

    /// The header row of a database that belongs to a keybag: a version byte, the UUIDs of keychain and keybag, and
    /// the keybag's generation.
    init(of keybag: Keybag, sealedBy vault: KeychainVault) {
        let content = Self.content(of: keybag, generation: keybag.generation)
        self.init(content: content, code: vault.headerCode(for: content))
    }

    /// - Throws: `notAvailable` where the database is another keybag's, or was written by a later state of this one.
    func check(against keybag: Keybag, vault: KeychainVault) throws(KeychainError) {
        guard isAuthentic(under: vault) else {
            throw KeychainError(
                .notAvailable,
                "the database and the keybag do not belong together; put the files back that do"
            )
        }
        // A crash between the writing of a new keybag and that of this row leaves the keybag one generation ahead.
        let generations = [keybag.generation, keybag.generation &- 1]
        guard generations.contains(where: { content == Self.content(of: keybag, generation: $0) }) else {
            throw KeychainError(.notAvailable, "the keybag is older than the database; put the newer one back")
        }
    }

    /// Whether some state of the keybag that the vault's keys are from has made it.
    func isAuthentic(under vault: KeychainVault) -> Bool {
        code == vault.headerCode(for: content)
    }

    private static func content(of keybag: Keybag, generation: UInt64) -> [UInt8] {
        [version] + keybag.keychain.bytes + keybag.uuid.bytes
            + (0..<8).map { UInt8(truncatingIfNeeded: generation >> UInt64(56 - $0 * 8)) }
    }
}
