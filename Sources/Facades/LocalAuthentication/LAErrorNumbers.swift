// The numbers of `LAError`'s codes, as headers in C name them.

/// `LAError.authenticationFailed`.
public var kLAErrorAuthenticationFailed: Int32 { -1 }

/// `LAError.userCancel`.
public var kLAErrorUserCancel: Int32 { -2 }

/// `LAError.userFallback`.
public var kLAErrorUserFallback: Int32 { -3 }

/// `LAError.systemCancel`.
public var kLAErrorSystemCancel: Int32 { -4 }

/// `LAError.passcodeNotSet`.
public var kLAErrorPasscodeNotSet: Int32 { -5 }

/// `LAError.touchIDNotAvailable`.
public var kLAErrorTouchIDNotAvailable: Int32 { -6 }

/// `LAError.touchIDNotEnrolled`.
public var kLAErrorTouchIDNotEnrolled: Int32 { -7 }

/// `LAError.touchIDLockout`.
public var kLAErrorTouchIDLockout: Int32 { -8 }

/// `LAError.appCancel`.
public var kLAErrorAppCancel: Int32 { -9 }

/// `LAError.invalidContext`.
public var kLAErrorInvalidContext: Int32 { -10 }

/// `LAError.watchNotAvailable`.
public var kLAErrorWatchNotAvailable: Int32 { -11 }

/// `LAError.companionNotAvailable`.
public var kLAErrorCompanionNotAvailable: Int32 { -11 }

/// `LAError.biometryNotPaired`.
public var kLAErrorBiometryNotPaired: Int32 { -12 }

/// `LAError.biometryDisconnected`.
public var kLAErrorBiometryDisconnected: Int32 { -13 }

/// `LAError.invalidDimensions`.
public var kLAErrorInvalidDimensions: Int32 { -14 }

/// `LAError.biometryNotAvailable`.
public var kLAErrorBiometryNotAvailable: Int32 { -6 }

/// `LAError.biometryNotEnrolled`.
public var kLAErrorBiometryNotEnrolled: Int32 { -7 }

/// `LAError.biometryLockout`.
public var kLAErrorBiometryLockout: Int32 { -8 }

/// `LAError.notInteractive`.
public var kLAErrorNotInteractive: Int32 { -1004 }
