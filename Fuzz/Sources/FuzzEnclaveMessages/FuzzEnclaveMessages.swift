import FuzzSupport

@testable import EnclaveInterface
@testable import EnclaveServer
@testable import KeychainModel

/// A packet to the enclave, from it, to a prompter, or an event: the first byte of an input says which.
///
/// What is taken is written as it was read; all else is refused as what each side calls no message.
@main
enum FuzzEnclaveMessages: FuzzTarget {
    static func run(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        let kind = source.byte() % 4
        let packet = source.rest()
        do {
            switch kind {
            case 0:
                let (header, request) = try KnownRequests.decode(packet)
                let again = try request.encoded(id: header.id, uid: header.uid)
                require(again == packet, "a request is written as it was read")
            case 1:
                try readReply(packet)
            case 3:
                let (uid, event) = try PrompterEvent.decode(packet)
                require(try event.encoded(uid: uid) == packet, "what prompters are told is written as it was read")
            default:
                require(try EnclaveEvent(packet).encoded() == packet, "an event is written as it was read")
            }
        } catch let error as KeychainError {
            require(error.code == .invalidParameter, "what is no message is refused as such")
        }
    }

    /// Reads a reply as one to each kind of request: those whose answer has its number take it, or all of them.
    private static func readReply(_ packet: [UInt8]) throws {
        func isTaken<Request: EnclaveRequest>(as _: Request.Type) throws -> Bool {
            let reply: EnclaveReply<Request>
            do throws(KeychainError) {
                reply = try EnclaveReply(packet, to: Request.self)
            } catch {
                require(error.code == .notAvailable, "what is no message is refused as such")
                return false
            }
            require(Request.reply(reply.result, to: reply.header) == packet, "a reply is written as it was read")
            return true
        }
        for request in KnownRequests.all { _ = try isTaken(as: request) }
    }

    /// Nobody has sealed it.
    private static func privateKey(_ kind: EnclaveKey.Kind, _ header: EnclaveKey.Header) -> EnclaveKey? {
        let bytes = [UInt8](repeating: 5, count: kind.algorithm.publicKeySize)
        return EnclavePublicKey(bytes, of: kind.algorithm).flatMap {
            EnclaveKey(header: header, kind: kind, publicKey: $0, box: [1], content: [2])
        }
    }

    static func seeds() throws -> [String: [UInt8]] {
        guard let token = AuthorizationToken(Array(repeating: 7, count: 32)),
            let voucher = AskerVoucher(Array(repeating: 8, count: 16))
        else { return [:] }
        let binding = ItemBinding(
            itemClass: .genericPassword,
            uuid: ItemUUID(),
            version: ItemUUID().bytes,
            accessGroup: "TEAM.a",
            accessibility: 1,
            isSynchronizable: true,
            isTombstone: false,
            accessControl: [1, 2]
        )
        let control = AccessControl(bare: .always)
        let header = EnclaveKey.Header(keychain: ItemUUID(), accessGroup: "TEAM.a", accessControl: control)
        guard let header,
            let signing = privateKey(.mldsa65, header), let opening = privateKey(.mlkem768, header)
        else { return [:] }
        let secret = SecretBytes([1, 2, 3])
        let state = EnclaveState(
            keychain: ItemUUID(),
            keybag: ItemUUID(),
            generation: 1,
            lock: .locked,
            hasPasscode: true,
            isRotating: false,
            epoch: 2,
            settings: LockSettings(timeout: 60),
            binding: .file
        )
        return [
            "make-key": [0]
                + (try MakePrivateKeyRequest(
                    EnclaveKeyTemplate(.mldsa87, accessGroup: "TEAM.a", accessControl: control),
                    with: .none
                ).encoded(id: 1, uid: 2)),
            "sign-message": [0]
                + (try UsePrivateKeyRequest(signing, for: .messageSignature(of: [1, 2], context: [3]), with: .none)
                    .encoded(id: 1, uid: 2)),
            "decapsulate": [0]
                + (try UsePrivateKeyRequest(
                    opening,
                    for: .decapsulation(of: [UInt8](repeating: 6, count: 1_088)),
                    with: .none
                ).encoded(id: 1, uid: 2)),
            "used": [1] + (try UsePrivateKeyRequest.encoded(answer: .success(secret), id: 1, uid: 2)),
            "unwrap": [0]
                + (try UnwrapRequest([WrappedItemKey(binding: binding, box: [1])]).encoded(id: 1, uid: 2)),
            "redeem": [0] + (try RedeemRequest(token, for: .backup).encoded(id: 1, uid: 2)),
            "change-passcode": [0]
                + (try ChangePasscodeRequest(from: secret, to: nil).encoded(id: 1, uid: 2)),
            "change-settings": [0]
                + (try ChangeSettingsRequest(LockSettings(), passcode: secret, with: token).encoded(id: 1, uid: 2)),
            "change-passcode-with-token": [0]
                + (try ChangePasscodeWithTokenRequest(from: nil, to: secret, with: token).encoded(id: 1, uid: 2)),
            "confirm-passcode": [0]
                + (try ConfirmPasscodeRequest(secret, with: token).encoded(id: 1, uid: 2)),
            "state": [1] + (try StateRequest.encoded(answer: state, id: 1, uid: 2)),
            "keys": [1]
                + (try UnwrapRequest.encoded(answer: [.failure(KeychainError(.undecodable, ""))], id: 1, uid: 2)),
            "failure": [1] + EnclaveFailure.encoded(KeychainError(.notAvailable, "no"), id: 1, uid: 2),
            "ask": [0]
                + (try AskOwnerRequest(
                    PresenceQuestion(
                        of: .vouched(by: voucher, name: "a"),
                        .owner,
                        password: .new,
                        for: .items([ItemUUID(): "TEAM.a", ItemUUID(): "TEAM.b"])
                    )
                ).encoded(id: 1, uid: 2)),
            "ask-in-context": [0]
                + (try AskOwnerRequest(
                    PresenceQuestion(
                        of: .named("a", isVerified: true),
                        .owner,
                        for: .context(PresenceContextID()),
                        reuse: .longest
                    )
                ).encoded(id: 1, uid: 2)),
            "log-in": [0] + (try LogInRequest(secret, setsFirst: true).encoded(id: 1, uid: 2)),
            "sync-begin-epoch": [0]
                + (try SyncBeginEpochRequest(for: [[1, 2]], earlier: [[UInt8](repeating: 3, count: 32)])
                    .encoded(id: 1, uid: 2)),
            "sync-ceremony": [0] + (try SyncCeremonyRequest(.answer, [1, 2]).encoded(id: 1, uid: 2)),
            "sync-allow": [0]
                + (try AllowSyncRequest(.addRecoveryKey(card: [1], consent: [2]), with: token).encoded(id: 1, uid: 2)),
            "sync-ceremony-state": [1]
                + (try CeremonyStateRequest.encoded(
                    answer: SyncCeremonyState(.showing, digits: "012345"),
                    id: 1,
                    uid: 2
                )),
            "session-unlocked": [0] + (try SessionUnlockedRequest().encoded(id: 1, uid: 2)),
            "open-context": [0] + (try OpenContextRequest(["TEAM.a", "TEAM.b"]).encoded(id: 1, uid: 2)),
            "vouch": [0]
                + (try VouchRequest(
                    for: VouchedProgram(pid: 3, path: "/usr/bin/a", isInstalled: true, connection: 4),
                    by: voucher
                ).encoded(id: 1, uid: 2)),
            "prompt": [3]
                + (try PrompterEvent.prompt(
                    Prompt(
                        question: ItemUUID(),
                        wish: .passcode,
                        asker: AskerDescription(.installed, name: "a", path: "/usr/bin/a"),
                        groups: ["TEAM.a"],
                        wishes: PromptWishes(),
                        readable: [],
                        isRepeated: true
                    )
                ).encoded(uid: 2)),
            "event": [2] + (try EnclaveEvent(id: 3, uid: 4, state: state).encoded()),
        ]
    }
}
