import EnclaveInterface
import EnclaveMessages
import KeychainModel

extension UnlockRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) { try visit.control.unlock(passcode) }
}

extension LogInRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        // Nobody has to wait for a passcode to be tried where there is nothing to unlock.
        let state = try visit.enclave.state()
        if !state.hasPasscode, setsFirst {
            try visit.control.changePasscode(from: nil, to: password, with: nil)
        } else if state.lock != .unlocked {
            try visit.control.unlock(password)
        }
    }
}

extension ChangePasscodeRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        try visit.control.changePasscode(from: old, to: new, with: nil)
    }
}

extension ChangePasscodeWithTokenRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        try visit.control.changePasscode(from: old, to: new, with: token)
    }
}

extension ConfirmPasscodeRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        try visit.control.confirmPasscode(passcode, with: token)
    }
}

extension VerifyPasscodeRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) { try visit.control.verify(passcode) }
}

extension AuthorizeRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> AuthorizationToken {
        try visit.control.authorize(operation, passcode: passcode)
    }
}

extension ChangeSettingsRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        try visit.control.change(settings, passcode: passcode, with: token)
    }
}
