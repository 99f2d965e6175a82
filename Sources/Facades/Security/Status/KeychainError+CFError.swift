import CoreFoundationAliases
import Foundation

@_implementationOnly import KeychainClient
@_implementationOnly import KeychainModel

extension KeychainError {
    /// The error object for a caller: the status as its code, and the words in which Apple's systems put the sentence that
    /// explains it. If the owner did not prove what was asked, the `LAError` lies under it.
    var object: CFError {
        var information: [String: Any] = [
            NSLocalizedDescriptionKey:
                "The operation couldn\u{2019}t be completed. (OSStatus error \(status) - \(message))"
        ]
        if case .failed(let failure) = presence {
            information[NSUnderlyingErrorKey] = NSError(
                domain: "com.apple.LocalAuthentication",
                code: failure.laErrorNumber,
                userInfo: [
                    NSLocalizedDescriptionKey: message.sentence, NSLocalizedFailureReasonErrorKey: message.sentence,
                ]
            )
        }
        return NSError(domain: NSOSStatusErrorDomain, code: Int(status), userInfo: information)
    }

    /// Leaves the error where the caller wants it; the caller releases it.
    func report(to place: UnsafeMutablePointer<Unmanaged<CFError>?>?) {
        unsafe place?.pointee = Unmanaged.passRetained(object)
    }
}

/// The value that a body gives; where it throws, nil, and the error is left where the caller wants it.
func reporting<Value>(
    to place: UnsafeMutablePointer<Unmanaged<CFError>?>?,
    _ body: () throws(KeychainError) -> Value?
) -> Value? {
    do throws(KeychainError) {
        return try body()
    } catch {
        unsafe error.report(to: place)
        return nil
    }
}

extension String {
    /// With a capital letter and a full stop.
    package var sentence: String { prefix(1).uppercased() + dropFirst() + "." }
}
