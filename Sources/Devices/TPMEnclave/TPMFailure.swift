import CTPM
package import KeychainModel

/// Why a TPM did not do what it was asked for.
package struct TPMFailure: Error, Equatable, Sendable {
    package enum Reason: Sendable, CaseIterable {
        case notBuiltIn
        case noLibrary
        case absent
        case noPermission
        case busy
        case silent
        case gone
        /// Wrong authorisations, by whomever: the TPM refuses all until it has forgiven one.
        case lockedOut
        case wrongAuthorization
        /// The index is not there. What was in it is gone.
        case noIndex
        case full
        case taken
        /// The storage root key is another one.
        case otherSeed
        /// The owner's authorisation is set, or the hierarchy is off.
        case owned
        /// It is no key of this TPM's, or not as it was made.
        case otherKey
        /// The answer was authenticated, and cannot be right.
        case faulty
        case failed
    }

    package let reason: Reason
    /// The TPM's response code.
    package let code: UInt32

    package init(_ reason: Reason, code: UInt32 = 0) {
        self.reason = reason
        self.code = code
    }

    /// - Returns: nil for success.
    init?(_ status: ctpm_status, code: UInt32) {
        let reason: Reason? =
            switch status {
            case CTPM_OK: nil
            case CTPM_NOT_BUILT_IN: .notBuiltIn
            case CTPM_NO_LIBRARY: .noLibrary
            case CTPM_ABSENT: .absent
            case CTPM_NO_PERMISSION: .noPermission
            case CTPM_BUSY: .busy
            case CTPM_SILENT: .silent
            case CTPM_GONE: .gone
            case CTPM_LOCKED_OUT: .lockedOut
            case CTPM_WRONG_AUTHORIZATION: .wrongAuthorization
            case CTPM_NO_INDEX: .noIndex
            case CTPM_FULL: .full
            case CTPM_TAKEN: .taken
            case CTPM_OTHER_SEED: .otherSeed
            case CTPM_OWNED: .owned
            case CTPM_OTHER_KEY: .otherKey
            default: .failed
            }
        guard let reason else { return nil }
        self.init(reason, code: code)
    }

    /// What happened and what to do.
    ///
    /// - Parameter place: the device or socket.
    package func sentence(at place: String) -> String {
        switch reason {
        case .notBuiltIn:
            "this program was built without support for a TPM; build it where tpm2-tss's headers are (libtss2-dev)"
        case .noLibrary:
            "tpm2-tss's libraries are missing; install libtss2-esys and libtss2-mu"
        case .absent:
            "there is no TPM at \(place); switch it on in the firmware's settings, or name another"
        case .noPermission:
            "\(place) may not be opened; the user has to be in the device's group (tss)"
        case .busy:
            "the TPM at \(place) is busy; try again, and use /dev/tpmrm0, which programs share"
        case .silent:
            "the TPM at \(place) does not answer; try again, or restart the machine"
        case .gone:
            "the connection to the TPM at \(place) broke; try again, or restart the service"
        case .lockedOut:
            "the TPM at \(place) is locked out after wrong authorisations, not only of this keychain; wait"
        case .wrongAuthorization:
            "the TPM at \(place) refuses the authorisation"
        case .noIndex:
            "the TPM at \(place) no longer has what this keychain kept in it: somebody removed it; restore a backup"
        case .full:
            "the TPM at \(place) has no room; remove indexes that nobody needs (tpm2_getcap handles-nv-index)"
        case .taken:
            "the TPM at \(place) has something else in the place"
        case .otherSeed:
            "the TPM at \(place) was cleared or is another one than the keychain was made with; restore a backup"
        case .owned:
            "the TPM at \(place) asks for its owner's authorisation, which has to be empty"
        case .otherKey:
            "the TPM at \(place) does not take the key: it was altered, or another TPM made it; restore a backup"
        case .faulty:
            "the TPM at \(place) gives an answer that cannot be right; try again, and do not rely on this TPM"
        case .failed:
            "the TPM at \(place) fails with the code 0x\(String(code, radix: 16)) (see tpm2_rc_decode)"
        }
    }

    /// As the keychain's own code sees it.
    package func keychainError(at place: String) -> KeychainError {
        switch reason {
        case .wrongAuthorization: KeychainError(.authenticationFailed, "the passcode is wrong")
        case .full: KeychainError(.diskFull, sentence(at: place))
        default: KeychainError(.notAvailable, sentence(at: place))
        }
    }
}
