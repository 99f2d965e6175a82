package import KeychainModel
import KeychainSync

/// What a circle and a transport refuse, in a keychain's errors.
package enum CircleFailure {
    package static let noCircle = KeychainError(.itemNotFound, "the keychain belongs to no circle of devices")

    package static func translating<Value>(_ body: () throws -> Value) throws(KeychainError) -> Value {
        do {
            return try body()
        } catch let error as KeychainError {
            throw error
        } catch let refusal as SyncRefusal {
            throw translated(refusal)
        } catch is JoinFailure {
            throw KeychainError(.authenticationFailed, "the ceremony has failed; begin once more")
        } catch let failure as SyncTransportFailure {
            throw KeychainError(failure.kind == .full ? .diskFull : .notAvailable, failure.description)
        } catch {
            throw KeychainError(.internalError, "the circle failed in a way that nobody expected")
        }
    }

    private static func translated(_ refusal: SyncRefusal) -> KeychainError {
        switch refusal {
        case .notMember:
            KeychainError(.noPermission, "this device is not a member of the circle, or cannot write for it now")
        case .tooLarge: KeychainError(.dataTooLarge, "the circle does not take so much")
        case .unknownVersion:
            KeychainError(
                .unimplemented,
                "the circle has gone on to a newer format; a newer version of this program reads it"
            )
        default: KeychainError(.notAvailable, "the circle does not take that: \(refusal)")
        }
    }
}
