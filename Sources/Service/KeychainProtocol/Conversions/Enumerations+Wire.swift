import KeychainMessages
import KeychainModel

// Numbers on the wire and our own cases. A number that is unknown here is refused, never guessed at.

extension WireItemClass {
    init(_ itemClass: ItemClass) {
        self =
            switch itemClass {
            case .genericPassword: .genericPassword
            case .internetPassword: .internetPassword
            case .certificate: .certificate
            case .key: .key
            case .identity: .identity
            }
    }
}

extension ItemClass {
    /// - Throws: `noSuchClass`.
    init(_ wire: WireItemClass) throws(KeychainError) {
        switch wire {
        case .genericPassword: self = .genericPassword
        case .internetPassword: self = .internetPassword
        case .certificate: self = .certificate
        case .key: self = .key
        case .identity: self = .identity
        case .unspecified, .UNRECOGNIZED:
            throw KeychainError(.noSuchClass, "a request names none of the five classes")
        }
    }
}

extension WireKeyAlgorithm {
    init(_ algorithm: EnclaveKeyAlgorithm) {
        self =
            switch algorithm {
            case .p256: .p256
            case .mldsa65: .mldsa65
            case .mldsa87: .mldsa87
            case .mlkem768: .mlkem768
            case .mlkem1024: .mlkem1024
            }
    }
}

extension EnclaveKeyAlgorithm {
    /// - Throws: `unimplemented` for one of later versions.
    init(_ wire: WireKeyAlgorithm) throws(KeychainError) {
        switch wire {
        case .p256: self = .p256
        case .mldsa65: self = .mldsa65
        case .mldsa87: self = .mldsa87
        case .mlkem768: self = .mlkem768
        case .mlkem1024: self = .mlkem1024
        case .UNRECOGNIZED: throw KeychainError(.unimplemented, "private keys of this algorithm are unknown here")
        }
    }
}

extension WireAuthenticationUI {
    init(_ choice: AuthenticationUI) {
        self =
            switch choice {
            case .allow: .allow
            case .fail: .fail
            case .skip: .skip
            }
    }
}

extension AuthenticationUI {
    init(_ wire: WireAuthenticationUI) throws(KeychainError) {
        switch wire {
        case .allow: self = .allow
        case .fail: self = .fail
        case .skip: self = .skip
        case .UNRECOGNIZED: throw KeychainError(.invalidParameter, "a request has an unknown kSecUseAuthenticationUI")
        }
    }
}

extension Accessibility {
    /// - Throws: `invalidParameter` for a name that is none.
    init?(wire name: String?) throws(KeychainError) {
        guard let name else { return nil }
        guard let accessibility = Accessibility(rawValue: name) else {
            throw KeychainError(.invalidParameter, "a request has an unknown accessibility class")
        }
        self = accessibility
    }
}

extension WireIdentity.Kind {
    init(_ kind: ServiceIdentity.Kind) {
        self =
            switch kind {
            case .installed: .installed
            case .signed: .signed
            case .unsigned: .unsigned
            }
    }
}

extension ServiceIdentity.Kind {
    init(_ wire: WireIdentity.Kind) throws(KeychainError) {
        switch wire {
        case .installed: self = .installed
        case .signed: self = .signed
        case .unsigned: self = .unsigned
        case .unspecified, .UNRECOGNIZED:
            throw KeychainError(.invalidParameter, "the service speaks of an unknown kind of identity")
        }
    }
}

extension ServiceIdentity.Mode {
    init(wire name: String) throws(KeychainError) {
        guard let mode = ServiceIdentity.Mode(rawValue: name) else {
            throw KeychainError(.invalidParameter, "the service runs in an unknown mode")
        }
        self = mode
    }
}
