package import EnclaveInterface
import Glibc
package import KeychainModel
package import LocalEnclave

/// Finds the enclaves that this process serves. It reads their files itself.
package struct UserEnclaves: Sendable {
    /// Where the folders are of the users' folders; nil where they are there already.
    private let directory: String?
    let keepsProgramsApart: Bool
    private let openFolder: @Sendable (String, UInt32) throws(KeychainError) -> LocalEnclaveFolder

    /// One folder for each user, `users/UID` in a directory that is this process's alone.
    ///
    /// - Parameter open: makes the folder of a user at a path, with where its device key is.
    package init(
        directory: String,
        opening open: @escaping @Sendable (_ path: String, _ uid: UInt32) throws(KeychainError) -> LocalEnclaveFolder
    ) {
        self.directory = directory
        keepsProgramsApart = true
        openFolder = open
    }

    /// The one folder of this process's user, whose programs are not kept apart.
    package init(_ folder: LocalEnclaveFolder) {
        directory = nil
        keepsProgramsApart = false
        openFolder = { (_, _) throws(KeychainError) in folder }
    }

    func folder(of uid: UInt32) throws(KeychainError) -> LocalEnclaveFolder {
        var folder = try openFolder(path(of: uid), uid)
        folder.keepsProgramsApart = keepsProgramsApart
        return folder
    }

    private func path(of uid: UInt32) -> String { (directory ?? "") + "/users/\(uid)" }

    /// Whether there is a folder, to be told in no time.
    func hasFolder(of uid: UInt32) -> Bool {
        guard directory != nil else { return true }
        var status = stat()
        return unsafe lstat(path(of: uid), &status) == 0
    }

    /// Makes what the folder lies in.
    func prepare(for uid: UInt32) throws(KeychainError) {
        guard let directory else { return }
        for path in [directory + "/users", path(of: uid)] {
            guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw KeychainError(errno: errno, "the folder \(path) cannot be made")
            }
        }
    }
}

/// A folder whose enclave is opened once, however often the keychain is: for a service in the enclave's own process.
package struct ServedFolder: EnclaveFolder {
    private let table: EnclaveTable
    private let uid: UInt32
    private let folder: LocalEnclaveFolder

    package init(_ folder: LocalEnclaveFolder, of uid: UInt32, in table: EnclaveTable) {
        self.folder = folder
        self.uid = uid
        self.table = table
    }

    package func presence() throws(KeychainError) -> EnclavePresence { try folder.presence() }
    package var files: [String] { folder.files }
    package func create() throws(KeychainError) { try table.create(for: uid) }
    package func open() throws(KeychainError) -> any Enclave { try table.enclave(of: uid) }
    package func presenceStatusWithoutKeychain() throws(KeychainError) -> PresenceStatus? {
        try table.presenceStatus(of: uid)
    }
}
