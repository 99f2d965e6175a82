import Glibc
import KeychainModel
import PasskeyProtocol

/// What an error of the keychain's is to a platform. The reason is for the log, since a status has no words.
enum PasskeyFailure {
    static func status(_ error: KeychainError) -> CTAPStatus {
        PasskeysTool.complain(error.message)
        // An update has put another program in this one's place, and the keychain knows the one at the place: systemd starts
        // it.
        if error.code == .missingEntitlement { exit(1) }
        switch error.code {
        case .diskFull, .dataTooLarge: return .keyStoreFull
        case .userCanceled, .interactionNotAllowed, .authenticationFailed: return .operationDenied
        case .itemNotFound: return .noCredentials
        default: return .other
        }
    }
}

extension PasskeyFailure {
    /// Does something with the keychain.
    static func mapping<Value>(_ body: () throws(KeychainError) -> Value) throws(CTAPStatus) -> Value {
        do throws(KeychainError) {
            return try body()
        } catch {
            throw status(error)
        }
    }
}
