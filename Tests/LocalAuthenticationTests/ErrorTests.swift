import Foundation
import LocalAuthentication
import Testing

@Suite("The errors of local authentication")
struct ErrorTests {
    private func kind(of error: any Error) -> String {
        do {
            throw error
        } catch LAError.userCancel {
            return "user cancel"
        } catch let error as LAError where error.code == .passcodeNotSet {
            return "no passcode"
        } catch let error as LAError {
            return "code \(error.code.rawValue)"
        } catch let error as NSError {
            return error.domain
        }
    }

    @Test func `an error is caught by its code, whether it was made as an LAError or as an NSError`() {
        for code in [-2, -5, -9] {
            let plain = NSError(domain: LAErrorDomain, code: code)
            let own = LAError(LAError.Code(rawValue: code)!)
            #expect(kind(of: plain) == kind(of: own))
        }
        #expect(kind(of: LAError(.userCancel)) == "user cancel")
        #expect(kind(of: LAError(.passcodeNotSet)) == "no passcode")
        #expect(kind(of: LAError(.notInteractive)) == "code -1004")
    }

    @Test func `an error of another domain or of an unknown code is none of these`() {
        #expect(NSError(domain: "elsewhere", code: -2) as? LAError == nil)
        #expect(NSError(domain: LAErrorDomain, code: -4321) as? LAError == nil)
        #expect(kind(of: NSError(domain: "elsewhere", code: -2)) == "elsewhere")
        #expect(kind(of: NSError(domain: LAErrorDomain, code: -4321)) == LAErrorDomain)
        #expect(LAError(_nsError: NSError(domain: LAErrorDomain, code: -4321)).code == .authenticationFailed)
    }

    @Test func `an error is an NSError with the documented domain and code`() {
        let error: any Error = LAError(.biometryLockout, userInfo: ["k": "v"])
        #expect((error as NSError).domain == "com.apple.LocalAuthentication")
        #expect((error as NSError).code == -8)
        let bridged = LAError(.biometryLockout, userInfo: ["k": "v"]) as NSError
        #expect(bridged.userInfo["k"] as? String == "v")
        #expect((bridged as? LAError)?.code == .biometryLockout)
        #expect(LAError.errorDomain == LAErrorDomain && kLAErrorDomain == LAErrorDomain)
        #expect(LAError(.userCancel).errorCode == -2)
    }

    @Test func `an optional error is cast and switched over`() {
        func text(_ error: (any Error)?) -> String {
            guard let error = error as? LAError else { return "none" }
            switch error.code {
            case .authenticationFailed, .userCancel, .userFallback: return "the person"
            case .touchIDNotAvailable, .touchIDNotEnrolled, .touchIDLockout: return "the reader"
            default: return "else"
            }
        }
        #expect(text(nil) == "none")
        #expect(text(LAError(.userFallback)) == "the person")
        #expect(text(NSError(domain: LAErrorDomain, code: -6)) == "the reader")
        #expect(text(LAError(.appCancel)) == "else")
        #expect(LAError.Code.appCancel ~= LAError(.appCancel))
    }

    @Test func `errors are equal and hash alike when their NSErrors do`() {
        #expect(LAError(.userCancel) == LAError(.userCancel))
        #expect(LAError(.userCancel) != LAError(.appCancel))
        #expect(Set([LAError(.userCancel), LAError(.userCancel), LAError(.appCancel)]).count == 2)
    }

    @Test func `every code has Apple's number`() {
        let table: [(LAError.Code, Int32, Int)] = [
            (.authenticationFailed, kLAErrorAuthenticationFailed, -1), (.userCancel, kLAErrorUserCancel, -2),
            (.userFallback, kLAErrorUserFallback, -3), (.systemCancel, kLAErrorSystemCancel, -4),
            (.passcodeNotSet, kLAErrorPasscodeNotSet, -5), (.touchIDNotAvailable, kLAErrorTouchIDNotAvailable, -6),
            (.biometryNotAvailable, kLAErrorBiometryNotAvailable, -6),
            (.touchIDNotEnrolled, kLAErrorTouchIDNotEnrolled, -7),
            (.biometryNotEnrolled, kLAErrorBiometryNotEnrolled, -7), (.touchIDLockout, kLAErrorTouchIDLockout, -8),
            (.biometryLockout, kLAErrorBiometryLockout, -8), (.appCancel, kLAErrorAppCancel, -9),
            (.invalidContext, kLAErrorInvalidContext, -10), (.watchNotAvailable, kLAErrorWatchNotAvailable, -11),
            (.companionNotAvailable, kLAErrorCompanionNotAvailable, -11),
            (.biometryNotPaired, kLAErrorBiometryNotPaired, -12),
            (.biometryDisconnected, kLAErrorBiometryDisconnected, -13),
            (.invalidDimensions, kLAErrorInvalidDimensions, -14), (.notInteractive, kLAErrorNotInteractive, -1004),
        ]
        for (code, constant, number) in table { #expect(code.rawValue == number && Int(constant) == number) }
    }

    @Test func `the other enumerations have Apple's numbers`() {
        let table: [(Int, Int32, Int)] = [
            (
                LAPolicy.deviceOwnerAuthenticationWithBiometrics.rawValue,
                kLAPolicyDeviceOwnerAuthenticationWithBiometrics, 1
            ),
            (LAPolicy.deviceOwnerAuthentication.rawValue, kLAPolicyDeviceOwnerAuthentication, 2),
            (LAPolicy.deviceOwnerAuthenticationWithWatch.rawValue, kLAPolicyDeviceOwnerAuthenticationWithWatch, 3),
            (
                LAPolicy.deviceOwnerAuthenticationWithCompanion.rawValue,
                kLAPolicyDeviceOwnerAuthenticationWithCompanion, 3
            ),
            (
                LAPolicy.deviceOwnerAuthenticationWithBiometricsOrWatch.rawValue,
                kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrWatch, 4
            ),
            (
                LAPolicy.deviceOwnerAuthenticationWithWristDetection.rawValue,
                kLAPolicyDeviceOwnerAuthenticationWithWristDetection, 5
            ),
            (LABiometryType.none.rawValue, kLABiometryTypeNone, 0),
            (LABiometryType.LABiometryNone.rawValue, kLABiometryTypeNone, 0),
            (LABiometryType.touchID.rawValue, kLABiometryTypeTouchID, 1),
            (LABiometryType.faceID.rawValue, kLABiometryTypeFaceID, 2),
            (LABiometryType.opticID.rawValue, kLABiometryTypeOpticID, 4),
            (LACredentialType.applicationPassword.rawValue, kLACredentialTypeApplicationPassword, 0),
            (LACredentialType.smartCardPIN.rawValue, kLACredentialSmartCardPIN, -3),
            (LAAccessControlOperation.createItem.rawValue, kLAAccessControlOperationCreateItem, 0),
            (LAAccessControlOperation.useItem.rawValue, kLAAccessControlOperationUseItem, 1),
            (LAAccessControlOperation.createKey.rawValue, kLAAccessControlOperationCreateKey, 2),
            (LAAccessControlOperation.useKeySign.rawValue, kLAAccessControlOperationUseKeySign, 3),
            (LAAccessControlOperation.useKeyDecrypt.rawValue, kLAAccessControlOperationUseKeyDecrypt, 4),
            (LAAccessControlOperation.useKeyKeyExchange.rawValue, kLAAccessControlOperationUseKeyKeyExchange, 5),
            (LACompanionType.watch.rawValue, kLACompanionTypeWatch, 1),
            (LACompanionType.mac.rawValue, kLACompanionTypeMac, 2),
            (LACompanionType.vision.rawValue, kLACompanionTypeVision, 4),
        ]
        for (value, constant, number) in table { #expect(value == number && Int(constant) == number) }
        #expect(LATouchIDAuthenticationMaximumAllowableReuseDuration == 300)
    }
}
