import Accounts
import KeychainEnclave
import KeychainEngine
import KeychainModel

/// The file that says whose keychain it is beside: a uid that was given to another user after its first one was removed
/// must not hand the keychain on.
struct KeychainOwner: Sendable {
    let path: String

    private static let largestFile = 1024

    /// Writes the file if there is none.
    ///
    /// - Throws: `notAvailable` where uid or user name are not those of the file.
    func check(_ uid: UInt32) throws(KeychainError) {
        let expected = Self.contents(uid: uid, name: UserAccount(uid: uid)?.name)
        guard let file = try SecureFile.read(path, largest: Self.largestFile, ownership: .own) else {
            let folder = String(path.dropLast("/owner".count))
            try KeychainDirectory(path: folder).makePrivateFolder()
            return try SecureFile.write(SecretBytes(expected), to: path)
        }
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
