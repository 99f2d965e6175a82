import CoreFoundationAliases
import Foundation
import KeychainModel
import Security
import Terminal

/// What macOS's command says when the keychain refuses.
extension Failure {
    /// A refusal of the keychain, in macOS's words and with its exit status: the low byte of the code.
    ///
    /// - Parameters:
    ///   - operation: the call that macOS names.
    ///   - status: the code.
    init(_ operation: Operation, _ status: OSStatus) {
        self.init(operation.rawValue, status)
    }

    /// - Parameter call: what macOS names, and what it is about.
    init(_ call: String, _ status: OSStatus) {
        let text = SecCopyErrorMessageString(status, nil).map(String.init(describing:)) ?? "OSStatus \(status)"
        let byte = status & 0xff
        self.init("\(call): \(text)", exitStatus: byte == 0 ? 1 : byte, code: status)
    }

    /// The calls that macOS's command names in its messages.
    enum Operation: String {
        case search = "SecKeychainSearchCopyNext"
        case create = "SecKeychainItemCreateFromContent (<default>)"
        case modify = "SecKeychainItemModifyContent"
        case delete = "SecKeychainItemDelete"
        case copyContent = "SecKeychainItemCopyContent"
        case importFile = "SecKeychainItemImport"
        case exportFile = "SecItemExport"
        case createKeyPair = "SecKeyCreatePair"
        case sign = "SecKeyCreateSignature"
        case verify = "SecTrustCreateWithCertificates"
    }

    /// Writes what has limits: a name beyond them ends the command with a message.
    static func encoding<Value>(_ body: () throws(KeychainError) -> Value) throws(Failure) -> Value {
        do { return try body() } catch { throw Failure(error.message) }
    }
}
