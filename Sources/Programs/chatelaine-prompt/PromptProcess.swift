import CKeychainLinux
import EnclaveClient
import EnclaveInterface
import FingerPrompting
import Glibc
import KeychainModel

/// The process that reads fingers of all users for their keychains.
enum PromptProcess {
    static func run(_ options: PromptOptions) throws {
        try giveUpRights(options)
        var prompters: [UInt32: UserPrompter] = [:]
        var wasThere = true
        while true {
            do throws(KeychainError) {
                let control = try RemoteEnclaveControl(
                    connectingTo: options.socket,
                    uid: options.uid,
                    server: options.server
                )
                wasThere = true
                try control.showPrompts(for: UserPrompter.abilities(options)) { (uid) throws(KeychainError) in
                    if let prompter = prompters[uid] { return prompter }
                    let prompter = try UserPrompter(of: uid, options)
                    prompters[uid] = prompter
                    return prompter
                }
            } catch {
                guard error.code == .notAvailable else { throw error }
                if wasThere { complain("\(error.message); waiting for it") }
                wasThere = false
                usleep(pause)
            }
        }
    }

    /// In microseconds.
    private static let pause: UInt32 = 500_000

    /// Only root may read fprintd's files: CAP_DAC_READ_SEARCH is all it keeps. Each of its threads has it.
    private static func giveUpRights(_ options: PromptOptions) throws {
        var failure = clinux_become(options.uid, options.gid, clinux_capability_read_all)
        if failure == 0 { failure = clinux_harden() }
        guard failure == 0 else {
            throw PromptOptions.Refusal(
                description: "cannot give up its rights: \(unsafe String(cString: strerror(failure)))"
            )
        }
    }

    static func complain(_ message: String) {
        let line = Array("chatelaine-prompt: \(message)\n".utf8)
        _ = unsafe write(STDERR_FILENO, line, line.count)
    }
}
