package import Crypto
package import KeychainModel

/// Items that may not leave their device: sealed under a key that its enclave derives for one backup.
package struct DeviceBox: Sendable {
    private let key: SymmetricKey
    private let backup: ItemUUID

    /// - Parameter key: what the enclave derives for this backup.
    package init(key: SymmetricKey, backup: ItemUUID) {
        self.key = key
        self.backup = backup
    }

    func seal(_ item: BackupItem, number: UInt64) throws(BackupFailure) -> [UInt8] {
        do {
            let box = try AES.GCM.seal(BackupItemCodec.encode(item), using: key, authenticating: data(number))
            return Array(box.nonce) + box.ciphertext + box.tag
        } catch {
            throw .failed(KeychainError(.internalError, "the cipher failed"))
        }
    }

    /// - Returns: nil where the item is another device's, or of another place.
    package func open(_ box: [UInt8], number: UInt64) -> BackupItem? {
        guard let sealed = try? AES.GCM.SealedBox(combined: box),
            let bytes = try? AES.GCM.open(sealed, using: key, authenticating: data(number))
        else { return nil }
        return BackupItemCodec.decode(bytes)
    }

    private func data(_ number: UInt64) -> [UInt8] {
        var data = Array("chatelaine backup device item 1".utf8) + backup.bytes
        data.append(number: number)
        return data
    }
}
