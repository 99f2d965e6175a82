import Crypto
import EnclaveInterface
import KeychainModel
import LocalEnclave

/// Does once what the enclave will do, so that nothing has to be loaded or looked up after system calls are filtered.
enum WarmUp {
    static func run(arena: any KeyArena) throws {
        let deviceKey = DeviceKey()
        let enclave = try LocalEnclave(
            MemoryStorage(keybag: Keybag(creatingUnder: deviceKey).file(under: deviceKey)),
            device: MemoryBinding(deviceKey),
            arena: arena,
            // It protects nothing, and the service waits for this.
            cost: .uncheckedLeast
        )
        let owner = LocalControl(enclave, for: .owner)
        let passcode = SecretBytes(Array("warm-up".utf8))
        try owner.changePasscode(from: nil, to: passcode)
        try owner.lock()
        try owner.unlock(passcode)
        let binding = ItemBinding(
            itemClass: .genericPassword,
            uuid: ItemUUID(),
            version: ItemUUID().bytes,
            accessGroup: "warm-up",
            accessibility: Accessibility.whenUnlocked.code,
            isSynchronizable: false,
            isTombstone: false,
            accessControl: []
        )
        let boxes = try enclave.wrap([UnwrappedItemKey(binding: binding, key: SymmetricKey(size: .bits256))])
        let keys = try enclave.unwrap(boxes.map { WrappedItemKey(binding: binding, box: $0) })
        _ = try UnwrapRequest.encoded(answer: keys, id: 0, uid: 0)
        for algorithm in EnclaveKeyAlgorithm.allCases {
            let template = EnclaveKeyTemplate(
                algorithm,
                accessGroup: "warm-up",
                accessControl: AccessControl(bare: .whenUnlocked)
            )
            let key = try enclave.makeKey(template, with: .none)
            let use: KeyUse =
                switch algorithm {
                case .p256: .signature(ofDigest: [UInt8](repeating: 0, count: KeyUse.digestSize))
                case .mldsa65, .mldsa87: .messageSignature(of: [0], context: [])
                case .mlkem768, .mlkem1024:
                    .decapsulation(of: [UInt8](repeating: 0, count: algorithm.ciphertextSize ?? 0))
                }
            _ = try enclave.use(key, for: use, with: .none)
        }
        _ = try enclave.sign(backupDigest: [UInt8](repeating: 0, count: 32))
        _ = EnclaveFailure.encoded(KeychainError(.notAvailable, "\(try enclave.state())"), id: 0, uid: 0)
    }
}
