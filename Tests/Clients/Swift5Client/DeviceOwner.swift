import Foundation
import LocalAuthentication

/// Asks the owner, as Apple's article on Face ID and Touch ID does; tests replace the context.
final class DeviceOwner {
    enum State: Equatable {
        case loggedIn
        case loggedOut(String)
    }

    private let makeContext: () -> LAContext
    private(set) var state = State.loggedOut("")
    private var context = LAContext()

    init(makeContext: @escaping () -> LAContext = { LAContext() }) {
        self.makeContext = makeContext
    }

    var biometry: String {
        switch context.biometryType {
        case .faceID: return "Face ID"
        case .touchID: return "Touch ID"
        case .opticID: return "Optic ID"
        case .none: return "Passcode"
        @unknown default: return "Biometry"
        }
    }

    func logIn(completion: @escaping (State) -> Void) {
        context = makeContext()
        context.localizedCancelTitle = "Enter Username/Password"
        context.localizedFallbackTitle = ""
        context.touchIDAuthenticationAllowableReuseDuration = LATouchIDAuthenticationMaximumAllowableReuseDuration
        var error: NSError?
        guard context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error) else {
            state = .loggedOut(DeviceOwner.text(error))
            completion(state)
            return
        }
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Log in to your account") {
            success,
            error in
            self.state = success ? .loggedIn : .loggedOut(DeviceOwner.text(error))
            completion(self.state)
        }
    }

    static func text(_ error: Error?) -> String {
        guard let error = error as? LAError else { return "unknown" }
        switch error.code {
        case LAError.authenticationFailed: return "failed"
        case LAError.userCancel, LAError.systemCancel, LAError.appCancel: return "cancelled"
        case LAError.userFallback: return "fallback"
        case .biometryNotAvailable, .biometryNotEnrolled, .biometryLockout: return "no biometry"
        case .passcodeNotSet: return "no passcode"
        case LAError.touchIDNotAvailable: return "unreachable"
        default: return "other"
        }
    }
}

/// The context of a test.
private class FakeContext: LAContext {
    var succeeds = true
    var failure = LAError.userCancel

    override func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        return true
    }

    override func evaluatePolicy(_ policy: LAPolicy, localizedReason: String, reply: @escaping (Bool, Error?) -> Void) {
        reply(succeeds, succeeds ? nil : NSError(domain: LAErrorDomain, code: failure.rawValue, userInfo: nil))
    }

    override var biometryType: LABiometryType {
        return .faceID
    }
}

func checkDeviceOwner() {
    let done = DispatchSemaphore(value: 0)
    let owner = DeviceOwner()
    owner.logIn { state in
        check(state == .loggedOut("no passcode"), "a machine without a passcode: \(state)")
        done.signal()
    }
    done.wait()
    check(owner.biometry == "Passcode", "a machine without readers")

    let fake = FakeContext()
    let faked = DeviceOwner { fake }
    faked.logIn { check($0 == .loggedIn, "a context of a test") }
    check(faked.biometry == "Face ID", "a reader of a test")
    fake.succeeds = false
    faked.logIn { check($0 == .loggedOut("cancelled"), "an NSError that is an LAError") }
    fake.failure = .userFallback
    faked.logIn { check($0 == .loggedOut("fallback"), "another one") }

    // The keychain with a context.
    let context = LAContext()
    context.interactionNotAllowed = true
    let query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword,
        kSecAttrAccount as String: "protected",
        kSecUseAuthenticationContext as String: context,
        kSecReturnData as String: true,
    ]
    check(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound, "a query with a context")
    let wrong = query.merging([kSecUseAuthenticationContext as String: "context"]) { $1 }
    check(SecItemCopyMatching(wrong as CFDictionary, nil) == errSecParam, "a query with another object")

    // A reply that never came is a cancelled one.
    let invalidated = LAContext()
    invalidated.invalidate()
    invalidated.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "why") { success, error in
        check(!success && (error as NSError?)?.code == LAError.Code.invalidContext.rawValue, "an invalid context")
        done.signal()
    }
    done.wait()
}
