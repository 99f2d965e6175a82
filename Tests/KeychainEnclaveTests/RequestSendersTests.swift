import Crypto
import KeychainModel
import Testing

@testable import EnclaveInterface
@testable import LocalEnclave

@Suite("Who may ask an enclave in the same process for what")
struct RequestSendersTests {
    private let enclave: LocalEnclave
    private static let passcode = SecretBytes(Array("passcode".utf8))

    init() throws {
        let deviceKey = DeviceKey()
        enclave = try LocalEnclave(Keybag(creatingUnder: deviceKey), under: deviceKey, cost: .uncheckedLeast)
        try enclave.control(isRoot: false).changePasscode(from: nil, to: Self.passcode)
    }

    private static func isRefused<Answer>(
        _ ask: (any EnclaveRequest) throws(KeychainError) -> Answer,
        _ request: any EnclaveRequest
    ) -> Bool {
        do throws(KeychainError) {
            _ = try ask(request)
            return false
        } catch {
            return error.code == .noPermission
        }
    }

    private func asService(_ request: any EnclaveRequest) throws(KeychainError) { _ = try enclave.answer(request) }

    private func asOwner(_ request: any EnclaveRequest) throws(KeychainError) {
        _ = try enclave.control(isRoot: false).answer(request)
    }

    private func asRoot(_ request: any EnclaveRequest) throws(KeychainError) {
        _ = try enclave.control(isRoot: true).answer(request)
    }

    /// All that takes or changes a passcode.
    private static let ofOwners: [any EnclaveRequest] = [
        UnlockRequest(passcode), LogInRequest(passcode, setsFirst: false), VerifyPasscodeRequest(passcode),
        ChangePasscodeRequest(from: passcode, to: passcode),
        ConfirmPasscodeRequest(passcode, with: nil), AuthorizeRequest(.backup, passcode: passcode),
        ChangeSettingsRequest(LockSettings(), passcode: passcode), CeremonyStateRequest(ends: true),
    ]

    /// All that brings keys out, uses them, or is about what was proved.
    private func ofServices() throws -> [any EnclaveRequest] {
        let token = try #require(AuthorizationToken([UInt8](repeating: 7, count: AuthorizationToken.size)))
        let template = EnclaveKeyTemplate(accessGroup: "group", accessControl: AccessControl(bare: .whenUnlocked))
        let key = try enclave.makeKey(template, with: .none)
        return [
            WrapRequest([]), UnwrapRequest([]), RewrapRequest([]), ServiceKeysRequest(),
            BeginRotationRequest(token), FinishRotationRequest(1), RedeemRequest(token, for: .backup),
            BackupKeyRequest(ItemUUID()), SignBackupRequest(digest: []), BackupSignerRequest(),
            MakePrivateKeyRequest(template, with: .none),
            UsePrivateKeyRequest(key, for: .signature(ofDigest: []), with: .none),
            OpenContextRequest(["group"]), CloseContextRequest(try enclave.openContext(["group"])),
            ForgetProofRequest(try #require(PresenceProof([UInt8](repeating: 7, count: PresenceProof.size)))),
            PresenceStatusRequest(), SyncCardRequest(), SyncSignRequest(1, []), SyncNoteRequest([]),
            SyncWrapRequest([], for: []), SyncUnwrapRequest([]), SyncCeremonyRequest(.begin),
            SyncBoxKeyRequest(1, in: [], for: []), SyncCodeRequest(of: [], in: []),
        ]
    }

    /// What a reader of fingers says, and root of a session; and what no enclave is asked for, but its process.
    private static let ofNobodyHere: [any EnclaveRequest] = [
        MatchedRequest(ItemUUID(), by: .biometry), MismatchedRequest(ItemUUID(), by: .biometry),
        SessionUnlockedRequest(),
        KeychainPresenceRequest(), CreateKeychainRequest(), SleepRequest(), OpenChannelRequest(), AcknowledgeRequest(),
    ]

    @Test func `the keychain's own code cannot do what is the owner's`() throws {
        for request in Self.ofOwners { #expect(Self.isRefused(asService, request), "\(request)") }
        #expect(try enclave.state().hasPasscode)
    }

    @Test func `an owner gets no key, and nor does root`() throws {
        for request in try ofServices() {
            #expect(Self.isRefused(asOwner, request), "\(request)")
            #expect(Self.isRefused(asRoot, request), "\(request)")
        }
    }

    @Test func `nobody in the process says what a reader of fingers does, or asks what the process is asked for`() {
        for request in Self.ofNobodyHere {
            #expect(Self.isRefused(asService, request), "\(request)")
            #expect(Self.isRefused(asOwner, request), "\(request)")
            #expect(Self.isRefused(asRoot, request), "\(request)")
        }
    }

    @Test func `what is refused to others is answered to those whose it is`() throws {
        for request in Self.ofOwners { #expect(!Self.isRefused(asOwner, request), "\(request)") }
        for request in try ofServices() { #expect(!Self.isRefused(asService, request), "\(request)") }
    }
}
