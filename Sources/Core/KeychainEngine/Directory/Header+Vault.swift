import EnclaveInterface
import KeychainModel
import KeychainStore
import KeychainVault

extension Header {
    private static let version: UInt8 = 1

    /// The header row of a database that belongs to a keybag: a version byte, the UUIDs of keychain and keybag, and
    /// the keybag's generation.
    init(sealedBy vault: KeychainVault) {
        self.init(of: vault.state, sealedBy: vault)
    }

    init(of state: EnclaveState, sealedBy vault: KeychainVault) {
        let content = Self.content(of: state)
        self.init(content: content, code: vault.headerCode(for: content))
    }

    /// - Throws: `notAvailable` where the database is another keybag's, or was written by a later state of this one.
    func check(against vault: KeychainVault) throws(KeychainError) {
        guard try generation(under: vault) <= vault.state.generation else { throw Self.older }
    }

    static let older = KeychainError(
        .notAvailable,
        "the keybag is older than the database; put the newer one back"
    )

    /// The generation of the keybag that wrote it. The keybag itself may be ahead: it is always written first, and some
    /// of its changes are none of the database's.
    ///
    /// - Throws: `notAvailable` where the database is another keybag's.
    func generation(under vault: KeychainVault) throws(KeychainError) -> UInt64 {
        // Also where it is as expected: who puts an older keybag back could write an older header as well.
        guard isAuthentic(under: vault) else { throw Self.foreign }
        var state = vault.state
        let generation = content.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        state.generation = generation
        guard content == Self.content(of: state) else { throw Self.foreign }
        return generation
    }

    private static let foreign = KeychainError(
        .notAvailable,
        "the database and the keybag do not belong together; put the files back that do"
    )

    /// Whether some state of the keybag that the vault's keys are from has made it.
    func isAuthentic(under vault: KeychainVault) -> Bool {
        code == vault.headerCode(for: content)
    }

    private static func content(of state: EnclaveState) -> [UInt8] {
        [version] + state.keychain.bytes + state.keybag.bytes
            + (0..<8).map { UInt8(truncatingIfNeeded: state.generation >> UInt64(56 - $0 * 8)) }
    }
}
