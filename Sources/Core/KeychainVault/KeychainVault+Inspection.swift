import EnclaveInterface
import KeychainModel
package import KeychainPolicy

/// What an inspection says of a row.
package enum RowCondition: Sendable, Equatable {
    /// Every part opens and belongs to the others; what is under an application password was not opened.
    case whole
    /// It cannot be judged before its class is unlocked.
    case locked
    case damaged(Part)

    /// The part that gave the damage away. Parts vouch for each other, so it may be another one that was changed.
    package enum Part: Sendable {
        /// A column in clear is not what a keychain writes, or neither attributes nor secret belong to it.
        case columns
        /// The attributes, or the blind columns that they vouch for.
        case attributes
        case key
        case secret
    }
}

extension KeychainVault {
    /// Tries to open each part of a row, and gives out nothing of it.
    package func inspect(_ row: SealedRow, for authorization: AuthorizedInspection) -> RowCondition {
        do throws(KeychainError) {
            guard let item = try openedOrNil({ () throws(KeychainError) in try openAttributes(of: row) }) else {
                return .damaged(try opensKey(of: row) ? .attributes : .columns)
            }
            let columns = blindColumns(of: row.itemClass, accessGroup: row.accessGroup, attributes: item.attributes)
            guard columns == row.blindColumns else { return .damaged(.attributes) }
            guard try opensKey(of: row) else { return .damaged(.key) }
            // Without the password or the owner no more can be checked, and an inspection asks for neither.
            let control = item.accessControl
            if control.needsApplicationPassword || control.demand != .nothing { return .whole }
            guard try openedOrNil({ () throws(KeychainError) in try openSecrets(of: item) }) != nil else {
                return .damaged(.secret)
            }
            return .whole
        } catch {
            // All else that opening can meet is a class whose key is not there now.
            return .locked
        }
    }

    /// A row that is whole, as what it is: something that this vault has sealed.
    ///
    /// - Returns: nil for any other row.
    package func readmit(_ row: SealedRow, for authorization: AuthorizedInspection) -> SealedItem? {
        inspect(row, for: authorization) == .whole ? SealedItem(row: row) : nil
    }

    private func openedOrNil<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value? {
        do throws(KeychainError) {
            return try body()
        } catch {
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }

    private func opensKey(of row: SealedRow) throws(KeychainError) -> Bool {
        guard Accessibility(code: row.accessibility) != nil else { return false }
        // Which gives nothing out, and asks for no application password.
        let boxes = try keys.enclave.rewrap([WrappedItemKey(binding: row.binding, box: row.wrappedKey)])
        return boxes.first.flatMap(\.self) != nil
    }
}
