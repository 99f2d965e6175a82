import Foundation
import Security

// What SecPrivate.h declares of passwords.

@c(SecPasswordGenerate)
public func secPasswordGenerate(
    _ type: UInt32,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?,
    _ passwordRequirements: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe GeneratedPasswords.password(
            type: type,
            requirements: try Argument.optionalDictionary(passwordRequirements),
            error
        )
    }
}

@c(SecPasswordCopyDefaultPasswordLength)
public func secPasswordCopyDefaultPasswordLength(
    _ type: UInt32,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe GeneratedPasswords.defaultLength(type: type, error)
    }
}

@c(SecPasswordValidatePasswordFormat)
public func secPasswordValidatePasswordFormat(
    _ type: UInt32,
    _ password: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Bool {
    unsafe Outcome.value(orError: error, refused: false) { error throws(WrongArgument) in
        unsafe GeneratedPasswords.isFormat(type: type, of: try Argument.string(password), error)
    }
}

// What is no string is as weak as none.

@c(SecPasswordIsPasswordWeak)
public func secPasswordIsPasswordWeak(_ passcode: UnsafeRawPointer?) -> Bool {
    Outcome.value(refused: true) { () throws(WrongArgument) in
        PasswordWeakness.isWeak(String(describing: try unsafe Argument.string(passcode)))
    }
}

@c(SecPasswordIsPasswordWeak2)
public func secPasswordIsPasswordWeak2(_ isSimple: Bool, _ passcode: UnsafeRawPointer?) -> Bool {
    Outcome.value(refused: true) { () throws(WrongArgument) in
        PasswordWeakness.isWeak(String(describing: try unsafe Argument.string(passcode)), isSimple: isSimple)
    }
}

@c(SecPasswordCreateWithRandomDigits)
public func secPasswordCreateWithRandomDigits(
    _ n: Int32,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe GeneratedPasswords.digits(Int(n), error)
    }
}
