import KeychainEngine
import KeychainModel
import LocalEnclave
import Logging

/// Changes of keys, with a passcode that costs nothing to try.
enum Passcodes {
    private static let log = Logger(label: "probe")

    private static func directory(_ path: String) -> KeychainDirectory {
        KeychainDirectory(path: path, cost: .uncheckedLeast)
    }

    private static func secret(_ text: String) -> SecretBytes? {
        text == "-" ? nil : SecretBytes(Array(text.utf8))
    }

    /// Sets, changes or removes the passcode ("-" is none), and lets the database follow.
    static func change(in path: String, from old: String, to new: String) {
        report { () throws(KeychainError) in
            let folder = LocalEnclaveFolder(path: path, sharing: .embedded, cost: .uncheckedLeast)
            let control = LocalControl(try folder.openLocal(), for: .owner)
            try control.changePasscode(from: secret(old), to: secret(new))
            if try control.state().lock != .unlocked, let new = secret(new) { try control.unlock(new) }
            let engine = try directory(path).open(log: log)
            _ = try engine.keychain(of: Caller(name: "probe", groups: AccessGroups(["test.default"]))).find(
                FindRequest(query: ItemQuery(itemClass: .genericPassword))
            )
        }
    }

    static func rotate(in path: String, passcode: String) {
        report { () throws(KeychainError) in
            let engine = try directory(path).open(log: log)
            let control = try engine.ownerControl()
            if let passcode = secret(passcode) { try control.unlock(passcode) }
            try engine.rotateKeys(control.authorize(.rotateKeys, passcode: secret(passcode)))
        }
    }

    private static func report(_ body: () throws(KeychainError) -> Void) {
        do throws(KeychainError) {
            try body()
            print(line: "done")
        } catch {
            print(line: "\(error.code)")
        }
    }
}
