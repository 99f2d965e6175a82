package import EnclaveInterface
package import KeychainModel

extension UnlockRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        try visit.passcode.unlock(passcode, by: visit.visitor)
    }
}

extension LogInRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        // Nobody has to wait for a passcode to be tried where there is nothing to unlock.
        let state = try visit.enclave.state()
        if !state.hasPasscode, setsFirst {
            try visit.passcode.changePasscode(from: nil, to: password, with: nil, by: visit.visitor)
        } else if state.lock != .unlocked {
            try visit.passcode.unlock(password, by: visit.visitor)
        }
    }
}

extension ChangePasscodeRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        try visit.passcode.changePasscode(from: old, to: new, with: nil, by: visit.visitor)
    }
}

extension ChangePasscodeWithTokenRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        try visit.passcode.changePasscode(from: old, to: new, with: token, by: visit.visitor)
    }
}

extension ConfirmPasscodeRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        try visit.passcode.confirmPasscode(passcode, with: token, by: visit.visitor)
    }
}

extension VerifyPasscodeRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        try visit.passcode.verify(passcode, by: visit.visitor)
    }
}

extension AuthorizeRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> AuthorizationToken {
        try visit.passcode.authorize(operation, passcode: passcode, by: visit.visitor)
    }
}

extension ChangeSettingsRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        try visit.passcode.change(settings, passcode: passcode, with: token, by: visit.visitor)
    }
}
