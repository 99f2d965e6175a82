import CKeychainLinux
import Glibc
import KeychainFiles
package import KeychainModel
package import KeychainSystem

/// Where the processes of one user share what of a keychain is unlocked, where no service holds it for them.
package protocol UnlockedStorage: Sendable {
    /// Changes with each writing; nil while nothing is there.
    var stamp: FileStamp? { get }
    /// Keeps other processes from reading half of what is written, and from writing meanwhile. What is below is done
    /// inside.
    func withLock<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value
    func read() -> SecretBytes?
    func write(_ contents: SecretBytes) throws(KeychainError)
    /// Overwrites what is there, and removes it.
    func remove()
}

/// A file in memory that goes when the machine stops, or the user logs out: every process of the user can read it.
package struct UnlockedFile: UnlockedStorage {
    private let folder: String
    private let path: String
    private static let largest = 65_536

    /// - Returns: nil where no file system in memory takes it; then each process unlocks for itself.
    package init?(keybag: ItemUUID) {
        guard let folder = Self.folder() else { return nil }
        let name = keybag.bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
        self.folder = folder
        path = folder + "/unlocked-" + name
    }

    package var stamp: FileStamp? { FileStamp.ofFile(path) }

    /// By the folder: a file of its own would be one more to leave behind.
    package func withLock<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        _ = unsafe mkdir(folder, 0o700)
        guard Self.isOurs(folder) else {
            throw KeychainError(.notAvailable, "the folder \(folder) belongs to another user")
        }
        let lock = try KeychainError.translating {
            let lock = try Descriptor(opening: folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            try lock.lock()
            return lock
        }
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    package func read() -> SecretBytes? {
        // A file that is unreadable or another user's counts as locked.
        try? SecureFile.read(path, largest: Self.largest, ownership: .own)
    }

    package func write(_ contents: SecretBytes) throws(KeychainError) {
        zero()
        try SecureFile.write(contents, to: path)
    }

    package func remove() {
        zero()
        _ = unsafe unlink(path)
    }

    private func zero() {
        guard let file = try? Descriptor(opening: path, O_WRONLY | O_NOFOLLOW), let size = try? file.stamp().size else {
            return
        }
        let zeroes = [UInt8](repeating: 0, count: min(Int(size), Self.largest))
        _ = file.withNumber { unsafe pwrite($0, zeroes, zeroes.count, 0) }
    }

    // MARK: - The folder

    private static func folder() -> String? {
        let user = String(geteuid())
        let candidates = [
            environment("XDG_RUNTIME_DIR").map { ($0, "chatelaine") }, ("/run/user/" + user, "chatelaine"),
            ("/dev/shm", "chatelaine-" + user),
        ]
        for case let (parent, name)? in candidates where canHold(name, in: parent) { return parent + "/" + name }
        return nil
    }

    private static func environment(_ name: String) -> String? {
        guard let value = unsafe clinux_environment(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.hasPrefix("/") ? text : nil
    }

    /// Whether the folder is there and ours, or can be made. It is made when there is something to write.
    private static func canHold(_ name: String, in parent: String) -> Bool {
        guard let folder = try? Descriptor(opening: parent, O_RDONLY | O_DIRECTORY),
            folder.withNumber({ clinux_is_in_memory($0) })
        else { return false }
        let path = parent + "/" + name
        return unsafe isOurs(path) || (access(path, F_OK) != 0 && access(parent, W_OK) == 0)
    }

    private static func isOurs(_ folder: String) -> Bool {
        guard let stamp = FileStamp.ofFile(folder) else { return false }
        return stamp.isFolder && stamp.owner == geteuid() && stamp.mode & 0o077 == 0
    }
}
