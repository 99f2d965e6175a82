package import Crypto
package import EnclaveInterface
package import KeychainModel
import KeychainSync

extension SyncCardRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> [UInt8] { try visit.sync.card().encoded }
}

extension SyncSignRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> [UInt8] {
        guard let kind = SyncStatement.Kind(rawValue: kind) else { throw SyncKeys.malformed }
        return try visit.sync.sign(SyncStatement(kind, statement))
    }
}

extension SyncNoteRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        guard let entry = try? Entry(entry) else { throw SyncKeys.malformed }
        try visit.sync.note(entry)
    }
}

extension SyncBeginEpochRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> [UInt8] {
        let cards = cards.compactMap { try? DeviceCard($0) }
        guard cards.count == self.cards.count else { throw SyncKeys.malformed }
        return try visit.sync.beginEpoch(for: cards, earlier: earlier.compactMap { SyncHash($0) }).encoded
    }
}

extension SyncWrapRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> [UInt8] {
        guard let card = try? DeviceCard(card) else { throw SyncKeys.malformed }
        return EpochSecrets(wraps: try visit.sync.wrap(epochs.compactMap { SyncHash($0) }, for: card)).encoded
    }
}

extension SyncUnwrapRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> [[UInt8]] {
        guard let secrets = try? EpochSecrets(encoded: secrets) else { throw SyncKeys.malformed }
        return try visit.sync.unwrap(secrets).map(\.bytes)
    }
}

extension SyncBoxKeyRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> SymmetricKey {
        guard let tier = SyncTier(rawValue: tier), let epoch = SyncHash(epoch), let data = SyncHash(data) else {
            throw SyncKeys.malformed
        }
        return try visit.sync.boxKey(for: tier, in: epoch, data: data)
    }
}

extension SyncCodeRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> [UInt8] {
        guard let digest = SyncHash(digest), let epoch = SyncHash(epoch) else { throw SyncKeys.malformed }
        return try visit.sync.code(of: digest, in: epoch).bytes
    }
}

extension SyncCeremonyRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> [UInt8] {
        try visit.ceremonies.take(step, message)
    }
}

extension CeremonyStateRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> SyncCeremonyState {
        try visit.ceremonies.state(ending: ends)
    }
}

extension TypeDigitsRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> SyncCeremonyState {
        try visit.passcode.redeem(token, for: .synchronize)
        return try visit.ceremonies.type(digits)
    }
}

extension AllowSyncRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        try visit.passcode.redeem(token, for: .synchronize)
        try visit.sync.allow(change)
    }
}
