import KeychainMessages
import KeychainModel

extension WireError {
    init(_ error: KeychainError) {
        self.init()
        code = WireCode(error.code)
        message = error.message
        if case .failed(let failure) = error.presence { presence = WirePresenceFailure(failure) }
    }
}

extension KeychainError {
    /// An error of a later version, which is unknown here, is an internal one.
    init(_ wire: WireError) {
        let failure = PresenceFailure(wire.presence)
        self.init(Code(wire.code), wire.message, presence: failure.map { .failed($0) })
    }
}

extension WireCode {
    init(_ code: KeychainError.Code) {
        self = WireCode(rawValue: Int(code.rawValue)) ?? .internalError
    }
}

extension KeychainError.Code {
    init(_ wire: WireCode) {
        self = UInt8(exactly: wire.rawValue).flatMap { KeychainError.Code(rawValue: $0) } ?? .internalError
    }
}
