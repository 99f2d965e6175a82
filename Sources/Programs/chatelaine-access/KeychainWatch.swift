import AccessPages
import Glibc
import KeychainClient
import KeychainModel
import KeychainSystem

/// How changes of the keychain of this process are noticed.
enum KeychainWatch {
    /// Until a service answers again, every page reads the keychain anew.
    private static let pause: UInt32 = 2_000_000

    /// - Throws: `notAvailable` for a keychain in this process's memory.
    static func changes(of keychain: any AccessKeychain) throws(KeychainError) -> any KeychainChanges {
        switch try KeychainLocation.current() {
        case .embedded(let directory): return FileChanges(directory: directory)
        case .memory: throw KeychainError(.notAvailable, "a keychain in a program's memory has nothing to show")
        case .service:
            let changes = WatchedChanges()
            do throws(SystemError) {
                try DetachedThread.start {
                    while true {
                        changes.listen(to: keychain)
                        usleep(pause)
                    }
                }
            } catch {
                throw KeychainError(.notAvailable, error.description)
            }
            return changes
        }
    }

    /// Where a service keeps its record for this user; nil where there is no service.
    static func recordPath() throws(KeychainError) -> String? {
        switch try KeychainLocation.current() {
        case .service(let address) where address.kind == .system:
            "/var/lib/chatelaine/users/\(getuid())/audit.log"
        case .service: try KeychainLocation.personalFolder() + "/audit.log"
        case .embedded, .memory: nil
        }
    }

    /// Where the keychain is, in words.
    static func place() throws(KeychainError) -> String {
        switch try KeychainLocation.current() {
        case .service(let address) where address.kind == .system: "The keychain service of this machine"
        case .service: "The keychain service of your session"
        case .embedded(let directory): "The folder \(directory)"
        case .memory: "Memory"
        }
    }
}
