import CoreFoundationAliases

@_implementationOnly import KeychainClient
@_implementationOnly import KeychainModel

/// Why nothing was imported or exported: with statuses of its own where Apple's functions have some.
@_implementationOnly
struct ExchangeFailure: Error {
    let error: KeychainError
    let status: OSStatus

    /// - Parameter wrongPassphrase: what the function at hand says of one.
    init(_ error: KeychainError, wrongPassphrase: OSStatus = errSecAuthFailed) {
        self.error = error
        switch error.code {
        case .authenticationFailed: status = wrongPassphrase
        // Of a file that was found to be of a format, and a key in it that is none.
        case .invalidParameter: status = errSecDecode
        default: status = error.status
        }
    }

    private init(_ status: OSStatus, _ message: String) {
        error = KeychainError(.invalidParameter, message)
        self.status = status
    }

    /// - Parameter status: what an item could not be stored with.
    init(storing status: OSStatus) {
        self.init(status, "what was imported cannot be stored")
    }

    static let parameter = ExchangeFailure(errSecParam, "there is nothing in it, or something of another type")
    static let passphraseRequired = ExchangeFailure(
        errSecPassphraseRequired,
        "a passphrase is needed, and none is given"
    )
    static let unknownFormat = ExchangeFailure(errSecUnknownFormat, "the data is of no format that is known here")
    static let unsupportedFormat = ExchangeFailure(errSecUnsupportedFormat, "the format is not for such items")
    static let severalPrivateKeys = ExchangeFailure(errSecMultiplePrivKeys, "there is more than one private key")

    /// Does something that fails in the keychain's own terms.
    static func translating<Value>(
        wrongPassphrase: OSStatus = errSecAuthFailed,
        _ body: () throws(KeychainError) -> Value
    ) throws(ExchangeFailure) -> Value {
        do throws(KeychainError) {
            return try body()
        } catch {
            throw ExchangeFailure(error, wrongPassphrase: wrongPassphrase)
        }
    }

    /// The status of a function.
    static func status(of call: StaticString, _ body: () throws(ExchangeFailure) -> Void) -> OSStatus {
        do throws(ExchangeFailure) {
            try body()
            return errSecSuccess
        } catch {
            KeychainLog.note("\(call)", failedWith: error.error, status: error.status)
            return error.status
        }
    }
}
