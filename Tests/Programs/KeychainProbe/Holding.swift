import Foundation
import KeychainModel
import KeychainStore
import Logging
import Security

/// Processes that hold something until they are told to let go, by a byte or the end of their input.
enum Holding {
    static func waitForRelease() {
        var byte: UInt8 = 0
        _ = read(0, &byte, 1)
    }

    /// Holds the writer's lock.
    static func lock(path: String) {
        do throws(KeychainError) {
            try WriterLock(path: path).withLock {
                print(line: "held")
                waitForRelease()
            }
        } catch {
            print(line: "failed \(error)")
        }
    }

    /// Holds a snapshot of the database, as a reader does that was stopped in the middle.
    static func snapshot(folder: String) {
        do throws(KeychainError) {
            let lock = try WriterLock(path: folder + "/lock")
            let store = try KeychainStore(path: folder + "/keychain.db", lock: lock, log: Logger(label: "probe"))
            try store.read(snapshot: true) { (transaction) throws(KeychainError) in
                _ = try transaction.groups(of: .genericPassword)
                print(line: "held")
                waitForRelease()
            }
            print(line: "released")
        } catch {
            print(line: "failed \(error)")
        }
    }

    /// Deletes an item, and stays.
    static func delete(_ account: String) {
        print(line: "\(Items.delete(account))")
        print(line: "deleted")
        waitForRelease()
    }
}
