package import EnclaveInterface
package import KeychainModel
import LocalEnclave

/// All requests that the enclave's process knows.
package enum KnownRequests {
    private static let served: [any ServedRequest.Type] = [
        ServiceKeysRequest.self, StateRequest.self, LockRequest.self, LogOutRequest.self,
        WrapRequest.self, UnwrapRequest.self, RewrapRequest.self, BeginRotationRequest.self,
        FinishRotationRequest.self,
        MakePrivateKeyRequest.self, UsePrivateKeyRequest.self,
        RedeemRequest.self, BackupKeyRequest.self, SignBackupRequest.self, BackupSignerRequest.self,
        ForgetProofRequest.self, RequireProofRequest.self, OpenContextRequest.self, CloseContextRequest.self,
        UnlockRequest.self, LogInRequest.self, ChangePasscodeRequest.self, ChangePasscodeWithTokenRequest.self,
        ConfirmPasscodeRequest.self, VerifyPasscodeRequest.self, AuthorizeRequest.self, ChangeSettingsRequest.self,
        AnswerPasscodeRequest.self, AnswerPasswordRequest.self, DeclineRequest.self, MatchedRequest.self,
        MismatchedRequest.self, SessionUnlockedRequest.self,
        SyncCardRequest.self, SyncSignRequest.self, SyncNoteRequest.self, SyncBeginEpochRequest.self,
        SyncWrapRequest.self, SyncUnwrapRequest.self, SyncBoxKeyRequest.self, SyncCodeRequest.self,
        SyncCeremonyRequest.self, CeremonyStateRequest.self, TypeDigitsRequest.self, AllowSyncRequest.self,
    ]

    private static let table: [any TableRequest.Type] = [
        KeychainPresenceRequest.self, CreateKeychainRequest.self, SleepRequest.self, PresenceStatusRequest.self,
    ]

    private static let loop: [any LoopRequest.Type] = [
        OpenChannelRequest.self, AcknowledgeRequest.self, VouchRequest.self, AskOwnerRequest.self,
        RegisterPrompterRequest.self, ReaderHintRequest.self, ReaderStateRequest.self,
    ]

    package static let all: [any EnclaveRequest.Type] = served + table + loop

    private enum Kind {
        case served(any ServedRequest.Type)
        case table(any TableRequest.Type)
        case loop(any LoopRequest.Type)
    }

    /// By their numbers.
    private static let kinds: [UInt8: Kind] = {
        var kinds: [UInt8: Kind] = [:]
        for type in served { kinds[type.number] = .served(type) }
        for type in table { kinds[type.number] = .table(type) }
        for type in loop { kinds[type.number] = .loop(type) }
        return kinds
    }()

    /// A request that was read, sorted by what answers it.
    enum Request: Sendable {
        /// The enclave that it is about.
        case served(any ServedRequest)
        case table(any TableRequest)
        case loop(any LoopRequest)

        var value: any EnclaveRequest {
            switch self {
            case .served(let request): request
            case .table(let request): request
            case .loop(let request): request
            }
        }
    }

    static func read(
        _ bytes: some Collection<UInt8>
    ) throws(KeychainError) -> (header: EnclaveMessage.Header, request: Request) {
        var reader = try MessageReader(bytes)
        let header = try reader.header()
        guard let kind = kinds[header.kind] else { throw MessageReader.malformed }
        let request: Request =
            switch kind {
            case .served(let type): .served(try type.init(from: &reader))
            case .table(let type): .table(try type.init(from: &reader))
            case .loop(let type): .loop(try type.init(from: &reader))
            }
        try reader.finish()
        return (header, request)
    }

    /// - Throws: `invalidParameter` for anything that is no request.
    package static func decode(
        _ bytes: some Collection<UInt8>
    ) throws(KeychainError) -> (header: EnclaveMessage.Header, request: any EnclaveRequest) {
        let (header, request) = try read(bytes)
        return (header, request.value)
    }
}
