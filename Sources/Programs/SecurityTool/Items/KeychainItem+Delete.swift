import CoreFoundationAliases
import Foundation
import Security
import Terminal

extension KeychainItem {
    /// Deletes the item, and says so as macOS's command does.
    ///
    /// By its reference: a query by attributes would delete everything that matches. The item is printed afterwards,
    /// so that a reader who goes away does not keep it from being deleted.
    func delete() throws(Failure) {
        let query: [CFString: Any] = [kSecValuePersistentRef: reference]
        let status = SecItemDelete(query as CFDictionary)
        guard status == errSecSuccess else { throw Failure(.delete, status) }
        try Console.print(AttributePrinter().text(for: self))
        Console.printError("password has been deleted.\n")
    }
}
