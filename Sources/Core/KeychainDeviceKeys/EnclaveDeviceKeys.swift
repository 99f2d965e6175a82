package import EnclaveInterface
package import KeychainModel
package import KeychainSync

/// The keys of this device, in its keychain's enclave.
package struct EnclaveDeviceKeys: DeviceKeys {
    private let enclave: any Enclave
    package let card: DeviceCard

    /// As many as a message to the enclave has room for.
    private static let mostWraps = 32
    private static let mostEarlier = 128

    /// Makes the keys where there are none.
    ///
    /// - Throws: `interactionNotAllowed` while the keychain is locked and there are none.
    package init(in enclave: any Enclave) throws(KeychainError) {
        self.enclave = enclave
        let bytes = try enclave.answer(SyncCardRequest())
        card = try Self.reading { () throws(SyncRefusal) in
            var reader = try SyncReader(bytes, atMost: DeviceCard.size)
            let card = try DeviceCard(from: &reader)
            try reader.end()
            return card
        }
    }

    package func sign(_ statement: SyncStatement) throws(KeychainError) -> [UInt8] {
        try enclave.answer(SyncSignRequest(statement.kind.rawValue, statement.bytes))
    }

    package func note(_ entry: Entry) throws(KeychainError) {
        switch entry.body {
        case .found, .add, .remove: break
        case .end, .epoch, .floor, .merge: return
        }
        do throws(KeychainError) {
            try enclave.answer(SyncNoteRequest(entry.encoded))
        } catch {
            // A member who lies can write more than the enclave takes. That must not keep other entries out.
            guard error.code == .dataTooLarge else { throw error }
        }
    }

    package func beginEpoch(
        for cards: [DeviceCard],
        earlier: Set<EpochID>,
        in circle: CircleID
    ) throws(KeychainError) -> EpochSecrets {
        let request = SyncBeginEpochRequest(
            for: cards.map(\.encoded),
            earlier: earlier.sorted().prefix(Self.room(for: cards.count)).map(\.bytes)
        )
        let bytes = try enclave.answer(request)
        return try Self.reading { () throws(SyncRefusal) in try EpochSecrets(encoded: bytes) }
    }

    /// Of how many earlier epochs the secrets have room in an entry that the enclave signs, beside so many wraps.
    private static func room(for members: Int) -> Int {
        let room = EnclaveMessage.largest - 2_048 - members * 1_232
        return max(0, min(room / 92, EpochDescription.mostEarlier, EnclaveMessage.mostKeys))
    }

    package func wrap(
        _ epochs: [EpochID],
        for card: DeviceCard,
        in circle: CircleID
    ) throws(KeychainError) -> [EpochWrap] {
        var wraps: [EpochWrap] = []
        for start in stride(from: 0, to: epochs.count, by: Self.mostWraps) {
            let some = epochs[start..<min(start + Self.mostWraps, epochs.count)].map(\.bytes)
            let bytes = try enclave.answer(SyncWrapRequest(some, for: card.encoded))
            wraps += try Self.reading { () throws(SyncRefusal) in try EpochSecrets(encoded: bytes).wraps }
        }
        return wraps
    }

    package func unwrap(_ secrets: EpochSecrets, in circle: CircleID) throws(KeychainError) -> Set<EpochID> {
        var held: Set<EpochID> = []
        // An epoch's entry has wraps of one epoch, for many; an addition has wraps of many epochs, for one. Others' are of no use
        // here, but the first one names the epoch that earlier ones are sealed under.
        var wraps = secrets.wraps.filter { $0.recipient == card.id }
        if wraps.isEmpty { wraps = Array(secrets.wraps.prefix(1)) }
        let first = wraps.first.map { [$0] } ?? []
        var parts: [EpochSecrets] = []
        for start in stride(from: 0, to: wraps.count, by: Self.mostWraps) {
            parts.append(EpochSecrets(wraps: Array(wraps.dropFirst(start).prefix(Self.mostWraps))))
        }
        for start in stride(from: 0, to: secrets.earlier.count, by: Self.mostEarlier) {
            let some = secrets.earlier.dropFirst(start).prefix(Self.mostEarlier)
            parts.append(EpochSecrets(wraps: first, earlier: Array(some)))
        }
        for some in parts {
            for id in try enclave.answer(SyncUnwrapRequest(some.encoded)) {
                guard let id = SyncHash(id) else { throw Self.unreadable }
                held.insert(id)
            }
        }
        return held
    }

    package func code(of digest: SyncHash, in epoch: EpochID) throws(KeychainError) -> SyncHash {
        guard let code = SyncHash(try enclave.answer(SyncCodeRequest(of: digest.bytes, in: epoch.bytes))) else {
            throw Self.unreadable
        }
        return code
    }

    package func seal(
        _ contents: SecretBytes,
        for tier: SyncTier,
        in epoch: EpochID,
        authenticating data: [UInt8]
    ) throws(KeychainError) -> SealedBox {
        let key = try enclave.answer(request(tier, epoch, data))
        return try Self.reading { () throws(SyncRefusal) in
            try unsafe contents.withUnsafeBytes { (bytes) throws(SyncRefusal) in
                try unsafe SealedBox(sealing: bytes, under: key, authenticating: data)
            }
        }
    }

    package func open(
        _ box: SealedBox,
        for tier: SyncTier,
        in epoch: EpochID,
        authenticating data: [UInt8]
    ) throws(KeychainError) -> SecretBytes {
        let key = try enclave.answer(request(tier, epoch, data))
        do throws(SyncRefusal) {
            return try box.opened(under: key, authenticating: data)
        } catch {
            throw KeychainError(.authenticationFailed, "the box of a segment was not sealed so")
        }
    }

    private func request(_ tier: SyncTier, _ epoch: EpochID, _ data: [UInt8]) -> SyncBoxKeyRequest {
        SyncBoxKeyRequest(tier.rawValue, in: epoch.bytes, for: SyncHash(of: data).bytes)
    }

    private static func reading<Value>(_ body: () throws(SyncRefusal) -> Value) throws(KeychainError) -> Value {
        do {
            return try body()
        } catch {
            throw unreadable
        }
    }

    private static let unreadable = KeychainError(.notAvailable, "the enclave gave no answer that can be understood")
}
