import EnclaveInterface
import Foundation
import Glibc
import KeychainClient
import KeychainModel
import Security
import Terminal

/// The keychain's lock, in the words and with the exit statuses of macOS's command.
struct KeychainControl {
    /// The calls that macOS's command names in its messages.
    enum Call: String {
        case create = "SecKeychainCreate"
        case lock = "SecKeychainLock"
        case unlock = "SecKeychainUnlock"
        case settings = "SecKeychainSetSettings"
        case copySettings = "SecKeychainCopySettings"
        case changePassword = "SecKeychainChangePassword"
    }

    private let call: Call
    private let name: String
    private let control: any EnclaveControl

    /// - Parameter name: of the keychain, as it was given.
    init(_ call: Call, _ name: String?) throws(Failure) {
        self.call = call
        self.name = TerminalText.escaped(name ?? "<NULL>")
        do throws(KeychainError) {
            // So that there is one, as there always is on a Mac.
            try CurrentKeychain.open()
            control = try CurrentKeychain.control()
        } catch {
            throw Failure(TerminalText.escaped(error.message))
        }
    }

    func state() throws(Failure) -> EnclaveState {
        try calling { () throws(KeychainError) in try control.state() }
    }

    func lock() throws(Failure) {
        try calling { () throws(KeychainError) in try control.lock() }
    }

    func unlock(_ password: Data) throws(Failure) {
        try calling { () throws(KeychainError) in try control.unlock(SecretBytes(password)) }
    }

    /// - Throws: where the first one is set in another way.
    func checkThatFirstPasswordCanBeSet(in state: EnclaveState) throws(Failure) {
        guard state.keepsProgramsApart, geteuid() != 0 else { return }
        throw refusal(errSecAuthFailed, " (any program could set the first one; run: chatelaine passcode set)")
    }

    func changePassword(from old: Data?, to new: Data) throws(Failure) {
        try calling { () throws(KeychainError) in
            try control.changePasscode(from: old.map { SecretBytes($0) }, to: SecretBytes(new))
        }
    }

    /// - Returns: false where the password is needed for it.
    func change(_ settings: LockSettings, password: Data?) throws(Failure) -> Bool {
        try calling { () throws(KeychainError) in
            do throws(KeychainError) {
                try control.change(settings, passcode: password.map { SecretBytes($0) })
                return true
            } catch  where error.code == .authenticationFailed && password == nil {
                // Where a password is not enough, it is not asked for.
                guard try control.state().isPasscodeEnough else { throw error }
                return false
            }
        }
    }

    /// A refusal in macOS's words.
    func refusal(_ status: OSStatus, _ more: String = "") -> Failure {
        let text = SecCopyErrorMessageString(status, nil).map(String.init(describing:)) ?? "OSStatus \(status)"
        let byte = status & 0xff
        return Failure("\(call.rawValue) \(name): \(text)\(more)", exitStatus: byte == 0 ? 1 : byte)
    }

    private func calling<Value>(_ body: () throws(KeychainError) -> Value) throws(Failure) -> Value {
        do throws(KeychainError) {
            return try body()
        } catch {
            switch error.code {
            // What has to be waited for, macOS has no words for.
            case .authenticationFailed: throw refusal(errSecAuthFailed, " (\(TerminalText.escaped(error.message)))")
            case .interactionNotAllowed: throw refusal(errSecInteractionNotAllowed)
            default: throw Failure(TerminalText.escaped(error.message))
            }
        }
    }
}
