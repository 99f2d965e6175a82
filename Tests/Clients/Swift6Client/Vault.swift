internal import Foundation
internal import LocalAuthentication

// What programs say of Apple's classes to use them in tasks.
extension LAContext: @unchecked Sendable {}

/// Who asks the owner; a test puts another in its place.
protocol OwnerAuthentication: Sendable {
    func authenticate(reason: String) async throws -> Bool
}

struct LocalOwner: OwnerAuthentication {
    let policy: LAPolicy

    func authenticate(reason: String) async throws -> Bool {
        let context = LAContext()
        context.localizedCancelTitle = "Cancel"
        return try await context.evaluatePolicy(policy, localizedReason: reason)
    }
}

struct Someone: OwnerAuthentication {
    let answer: Result<Bool, LAError>

    func authenticate(reason: String) async throws -> Bool {
        try answer.get()
    }
}

/// Secrets that the owner alone sees.
actor Vault {
    enum Failure: Error, Equatable {
        case denied
        case cancelled
        case unavailable(LAError.Code)
        case keychain(OSStatus)
    }

    private let owner: any OwnerAuthentication

    init(owner: any OwnerAuthentication) {
        self.owner = owner
    }

    func write(_ secret: String, named name: String) throws(Failure) {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "vault", kSecAttrAccount: name,
            kSecValueData: Data(secret.utf8),
        ]
        let status = SecItemAdd(item as CFDictionary, nil)
        guard status == errSecSuccess else { throw .keychain(status) }
    }

    func read(_ name: String) async throws -> String {
        do {
            guard try await owner.authenticate(reason: "show \(name)") else { throw Failure.denied }
        } catch LAError.userCancel, LAError.systemCancel, LAError.appCancel {
            throw Failure.cancelled
        } catch let error as LAError {
            throw Failure.unavailable(error.code)
        }
        var result: CFTypeRef?
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "vault", kSecAttrAccount: name, kSecReturnData: true,
        ]
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        guard status == errSecSuccess, let data = result as? Data else { throw Failure.keychain(status) }
        return String(decoding: data, as: UTF8.self)
    }
}

/// A screen: its state belongs to the main actor, replies come from elsewhere.
@MainActor
final class LockScreen {
    private(set) var message = "locked"
    private let context = LAContext()

    func unlock() async {
        do {
            message =
                try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "unlock") ? "open" : ""
        } catch {
            message = (error as? LAError)?.code == .passcodeNotSet ? "set a passcode first" : "\(error)"
        }
    }

    func unlockLater() async -> Bool {
        await withCheckedContinuation { continuation in
            context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "unlock") { success, _ in
                Task { @MainActor in
                    self.message = success ? "open" : "no reader"
                    continuation.resume(returning: success)
                }
            }
        }
    }
}

extension Client {
    static func vault(_ checks: Checks) async throws {
        try await Vault(owner: Someone(answer: .success(true))).write("secret", named: "pin")
        let open = try await Vault(owner: Someone(answer: .success(true))).read("pin")
        await checks.check(open == "secret", "an owner who proves it")
        let table: [(any OwnerAuthentication, Vault.Failure)] = [
            (Someone(answer: .success(false)), .denied),
            (Someone(answer: .failure(LAError(.userCancel))), .cancelled),
            (Someone(answer: .failure(LAError(.biometryLockout))), .unavailable(.biometryLockout)),
            (LocalOwner(policy: .deviceOwnerAuthentication), .unavailable(.passcodeNotSet)),
            (LocalOwner(policy: .deviceOwnerAuthenticationWithBiometrics), .unavailable(.biometryNotAvailable)),
        ]
        for (owner, expected) in table {
            do {
                _ = try await Vault(owner: owner).read("pin")
                await checks.check(false, "\(expected)")
            } catch let failure as Vault.Failure {
                await checks.check(failure == expected, "\(expected)")
            }
        }
        SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary)

        let screen = LockScreen()
        await screen.unlock()
        await checks.check(screen.message == "set a passcode first", "a screen without a passcode")
        let success = await screen.unlockLater()
        await checks.check(!success, "a screen without a reader")
        await checks.check(screen.message == "no reader", "what it says")
    }
}
