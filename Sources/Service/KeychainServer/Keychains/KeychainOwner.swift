import KeychainAccounts
import KeychainEngine
import KeychainFiles
import KeychainModel
import Synchronization

/// The file that says whose keychain it is beside: a uid that was given to another user after its first one was removed
/// must not hand the keychain on.
struct KeychainOwner: Sendable {
    let path: String

    private static let largestFile = 1024

    /// Held while a file is looked for and written: of the first requests of a user that come at once, one writes it.
    private static let writing = Mutex(())

    /// Writes the file if there is none.
    ///
    /// - Throws: `notAvailable` where uid or user name are not those of the file.
    func check(_ uid: UInt32) throws(KeychainError) {
        let expected = Self.contents(uid: uid, name: UserAccount(uid: uid)?.name)
        let file = try Self.writing.withLock { _ throws(KeychainError) -> SecretBytes? in
            if let file = try SecureFile.read(path, largest: Self.largestFile, ownership: .own) { return file }
            let folder = String(path.dropLast("/owner".count))
            try KeychainDirectory(path: folder).makePrivateFolder()
            try SecureFile.write(SecretBytes(expected), to: path)
            return nil
        }
        guard let file else { return }
        guard unsafe file.withUnsafeBytes({ unsafe $0.elementsEqual(expected) }) else {
            throw KeychainError(
                .notAvailable,
                "the keychain of uid \(uid) was made for another user of that uid; \(path) says for whom: move the folder "
                    + "away, or correct the file if it is the same person"
            )
        }
    }

    private static func contents(uid: UInt32, name: String?) -> [UInt8] {
        Array("uid \(uid)\nname \(name ?? "")\n".utf8)
    }
}
