package import EnclaveInterface
package import KeychainModel
package import KeychainPolicy

extension KeychainVault {
    /// Makes new class keys. From then on rows are sealed under them, and those before open with theirs.
    package func beginRotation(_ token: AuthorizationToken) throws(KeychainError) {
        _ = try keys.enclave.beginRotation(token)
        try refresh()
    }

    /// Lets go of the keys before the present ones.
    ///
    /// - Parameter generation: the keybag's when the rows were looked through.
    package func finishRotation(of generation: UInt64) throws(KeychainError) {
        _ = try keys.enclave.finishRotation(of: generation)
        try refresh()
    }

    /// The classes that have keys before the present ones.
    package var rotatingClasses: [Accessibility] { keys.rotatingClasses }

    /// Rows that are under older keys than the present ones, as they are under the present ones: the same item keys,
    /// secrets and row versions.
    ///
    /// - Returns: for each row its new state; nil where there is nothing to do, and where it does not open.
    /// - Throws: `interactionNotAllowed` while the class of one is locked.
    package func renew(_ rows: [SealedRow], for authorization: AuthorizedInspection) throws(KeychainError)
        -> [SealedItem?]
    {
        var renewed: [SealedItem?] = []
        var older: [(index: Int, row: SealedRow)] = []
        for row in rows {
            renewed.append(nil)
            guard let row = try withNewMetadata(row) else { continue }
            older.append((renewed.count - 1, row))
        }
        guard !older.isEmpty else { return renewed }
        let boxes = try keys.enclave.rewrap(
            older.map { WrappedItemKey(binding: $0.row.binding, box: $0.row.wrappedKey) }
        )
        for (place, box) in zip(older, boxes) {
            guard let box else { continue }
            var row = place.row
            row.wrappedKey = box
            renewed[place.index] = SealedItem(row: row)
        }
        return renewed
    }

    /// The row with its metadata under the newest key; nil where they are that, or do not open.
    private func withNewMetadata(_ row: SealedRow) throws(KeychainError) -> SealedRow? {
        guard let accessibility = Accessibility(code: row.accessibility) else { return nil }
        let metadataKeys = try keys.metadataKeys(for: accessibility)
        let data = AssociatedData(row.binding, keychain: keys.keychain)
            .bytes(for: .metadata, trailer: row.blindColumns.bytes)
        guard let newest = metadataKeys.first,
            Cipher.open(row.metadata, under: newest, authenticating: data) == nil,
            let plaintext = metadataKeys.dropFirst().lazy
                .compactMap({ Cipher.open(row.metadata, under: $0, authenticating: data) }).first
        else { return nil }
        var row = row
        row.metadata = try Cipher.seal(plaintext, under: newest, authenticating: data)
        return row
    }
}
