import Crypto
import KeychainModel
import Testing

@testable import EnclaveInterface
@testable import EnclaveServer

struct EnclaveMessageTests {
    static let binding = ItemBinding(
        itemClass: .internetPassword,
        uuid: ItemUUID(),
        version: ItemUUID().bytes,
        accessGroup: "TEAM.grüppe",
        accessibility: Accessibility.whenUnlocked.code,
        isSynchronizable: true,
        isTombstone: false,
        accessControl: [1, 2, 3]
    )
    static let state = EnclaveState(
        keychain: ItemUUID(),
        keybag: ItemUUID(),
        generation: 7,
        lock: .locked,
        hasPasscode: true,
        isRotating: true,
        epoch: 9,
        settings: LockSettings(locksOnSleep: false, timeout: 60, wipesAfter: 10),
        binding: .tpm,
        isPasscodeConfirmed: true,
        keepsProgramsApart: true
    )
    static let key = SymmetricKey(size: .bits256)
    private static let secret = SecretBytes(Array("passcode".utf8))
    private static let credentials = ItemCredentials(
        applicationPassword: try? ApplicationPassword(SecretBytes(Array("open sesame".utf8))),
        proofs: [PresenceProof(), PresenceProof()]
    )
    static let question: PresenceQuestion = {
        var wishes = PromptWishes()
        wishes.reason = "open the door \u{1F6AA}"
        wishes.cancelTitle = "No"
        wishes.fallbackTitle = ""
        wishes.terminal = PromptTerminal()
        wishes.terminal?.name = "/dev/pts/7"
        wishes.terminal?.locale = "C.UTF-8"
        return PresenceQuestion(
            of: vouchers.first.map { .vouched(by: $0, name: "org.example.door") } ?? .named("", isVerified: true),
            PresenceDemand([.passcode, [.passcode, .biometry]]),
            password: .new,
            prompt: wishes,
            for: .items([ItemUUID(): "TEAM.grüppe", ItemUUID(): "TEAM.b", ItemUUID(): "TEAM.b"]),
            isRepeated: true,
            reuse: UnlockReuse(milliseconds: 0x0102_0304)
        )
    }()
    private static let vouchers = [AskerVoucher(Array(0..<16))].compactMap(\.self)
    private static let contexts = [PresenceContextID(Array(1...16))].compactMap(\.self)
    private static let program = VouchedProgram(
        pid: 4_711,
        path: "/usr/bin/tür",
        isInstalled: true,
        connection: .max - 1
    )
    private static let tokens = [AuthorizationToken(Array(repeating: 7, count: 32))].compactMap(\.self)

    static let requests: [any EnclaveRequest] =
        plainRequests + requestsWithTokens + requestsWithContexts + keyRequests + syncRequests

    private static let plainRequests: [any EnclaveRequest] = [
        KeychainPresenceRequest(), CreateKeychainRequest(), ServiceKeysRequest(),
        WrapRequest([UnwrappedItemKey(binding: binding, key: key)]), WrapRequest([]),
        UnwrapRequest([WrappedItemKey(binding: binding, box: [1, 2, 3])]), WrapRequest([], with: credentials),
        UnwrapRequest([], with: credentials), RewrapRequest([WrappedItemKey(binding: binding, box: [1])]),
        FinishRotationRequest(7), AskOwnerRequest(question),
        AskOwnerRequest(
            PresenceQuestion(
                of: .named("", isVerified: false),
                .impossible,
                for: .newItem(accessGroup: "TEAM.grüppe")
            )
        ),
        OpenContextRequest([]), OpenContextRequest(["TEAM.a", "TEAM.grüppe"]),
        ForgetProofRequest(PresenceProof()), RequireProofRequest(.ownersView, []),
        RequireProofRequest(.items([ItemUUID(): "TEAM.grüppe"]), [PresenceProof(), PresenceProof()]),
        AskOwnerRequest(PresenceQuestion(of: .named("", isVerified: true), .owner, for: .ownersView)),
        PresenceStatusRequest(), RegisterPrompterRequest(.typing), AnswerPasscodeRequest(secret, to: ItemUUID()),
        AnswerPasswordRequest(secret, to: ItemUUID()),
        DeclineRequest(ItemUUID(), because: .declined, of: .typing), MatchedRequest(ItemUUID(), by: .biometry),
        MismatchedRequest(ItemUUID(), by: .biometry),
        ReaderHintRequest(ItemUUID(), .notCentered, by: .biometry),
        ReaderStateRequest(ReaderState(obstacle: nil, set: .empty), of: .biometry),
        ReaderStateRequest(ReaderState(obstacle: .notEnrolled, set: nil), of: .biometry),
        RegisterPrompterRequest(.biometry),
        BackupKeyRequest(ItemUUID()), SignBackupRequest(digest: Array(repeating: 1, count: 32)),
        BackupSignerRequest(), OpenChannelRequest(), AcknowledgeRequest(), StateRequest(), LockRequest(),
        LogOutRequest(), SleepRequest(), SessionUnlockedRequest(),
        UnlockRequest(secret), LogInRequest(secret, setsFirst: false), LogInRequest(secret, setsFirst: true),
        ChangePasscodeRequest(from: nil, to: secret), ChangePasscodeRequest(from: secret, to: nil),
        VerifyPasscodeRequest(secret),
        AuthorizeRequest(.restore, passcode: nil), AuthorizeRequest(.export, passcode: secret),
        ChangeSettingsRequest(LockSettings(), passcode: nil),
        MakePrivateKeyRequest(
            EnclaveKeyTemplate(accessGroup: "TEAM.grüppe", accessControl: AccessControl(bare: .always)),
            with: .none
        ),
        ConfirmPasscodeRequest(secret, with: nil), AuthorizeRequest(.changeSettings, passcode: nil),
    ]

    private static let hash = [UInt8](repeating: 5, count: 32)

    private static let syncRequests: [any EnclaveRequest] =
        [
            SyncCardRequest(), SyncSignRequest(1, []), SyncSignRequest(2, [1, 2, 3]), SyncNoteRequest([1, 2]),
            SyncBeginEpochRequest(for: [], earlier: []), SyncBeginEpochRequest(for: [[1], [2, 3]], earlier: [hash]),
            SyncWrapRequest([], for: []), SyncWrapRequest([hash, hash], for: [1]), SyncUnwrapRequest([1]),
            SyncBoxKeyRequest(1, in: hash, for: hash), SyncCodeRequest(of: hash, in: hash),
            CeremonyStateRequest(ends: false), CeremonyStateRequest(ends: true),
        ]
        + SyncCeremonyStep.allCases.map { SyncCeremonyRequest($0, [7]) }
        + tokens.flatMap { token -> [any EnclaveRequest] in
            [
                TypeDigitsRequest(secret, with: token), AllowSyncRequest(.found, with: token),
                AllowSyncRequest(.remove(hash), with: token), AllowSyncRequest(.forget, with: token),
                AllowSyncRequest(.addRecoveryKey(card: [1], consent: [2, 3]), with: token),
            ]
        }

    private static let requestsWithTokens: [any EnclaveRequest] = tokens.flatMap { token -> [any EnclaveRequest] in
        [
            RedeemRequest(token, for: .backup), BeginRotationRequest(token),
            ChangePasscodeWithTokenRequest(from: nil, to: secret, with: token),
            ConfirmPasscodeRequest(secret, with: token),
            ChangeSettingsRequest(LockSettings(), passcode: secret, with: token),
        ]
    }

    private static let requestsWithContexts: [any EnclaveRequest] =
        vouchers.map { VouchRequest(for: program, by: $0) }
        + contexts.flatMap { context -> [any EnclaveRequest] in
            [
                CloseContextRequest(context),
                AskOwnerRequest(PresenceQuestion(of: .named("a", isVerified: true), .owner, for: .context(context))),
            ]
        }

    private static let keyRequests: [any EnclaveRequest] = privateKeys.flatMap { key -> [any EnclaveRequest] in
        [
            UsePrivateKeyRequest(key, for: .signature(ofDigest: Array(repeating: 7, count: 32)), with: credentials),
            UsePrivateKeyRequest(key, for: .sharedSecret(with: [UInt8](repeating: 4, count: 65)), with: .none),
            UsePrivateKeyRequest(key, for: .messageSignature(of: [], context: []), with: .none),
            UsePrivateKeyRequest(key, for: .messageSignature(of: [1, 2, 3], context: [4]), with: credentials),
            UsePrivateKeyRequest(key, for: .decapsulation(of: [UInt8](repeating: 5, count: 1_088)), with: .none),
            UsePrivateKeyRequest(key, for: .decapsulation(of: [UInt8](repeating: 6, count: 1_568)), with: credentials),
            MakePrivateKeyRequest(
                EnclaveKeyTemplate(
                    key.kind.algorithm,
                    accessGroup: "",
                    accessControl: key.header.accessControl
                ),
                with: credentials
            ),
        ]
    }

    private static let privateKeys: [EnclaveKey] = {
        let control = try? AccessControl(protection: "akpu", flags: [.privateKeyUsage, .biometryCurrentSet])
        let header = EnclaveKey.Header(
            keychain: ItemUUID(),
            accessGroup: "TEAM.grüppe",
            accessControl: control ?? AccessControl(bare: .always)
        )
        let point = Array(P256.Signing.PrivateKey().publicKey.x963Representation)
        return EnclaveKey.Kind.allCases.compactMap { kind in
            let size = kind.algorithm.publicKeySize
            let bytes = kind.algorithm == .p256 ? point : [UInt8](repeating: 7, count: size)
            guard let header, let publicKey = EnclavePublicKey(bytes, of: kind.algorithm) else { return nil }
            return EnclaveKey(header: header, kind: kind, publicKey: publicKey, box: [1, 2, 3], content: [4, 5])
        }
    }()

    @Test
    func `there are private keys in these messages`() {
        #expect(Self.privateKeys.count == EnclaveKey.Kind.allCases.count)
    }

    @Test
    func `a use that takes more than microseconds does not run on the loop`() throws {
        let slow = try Self.privateKeys.filter { key in
            let use = KeyUse.signature(ofDigest: [UInt8](repeating: 0, count: KeyUse.digestSize))
            let header = try #require(
                EnclaveKey.Header(keychain: ItemUUID(), accessGroup: "", accessControl: AccessControl(bare: .always))
            )
            let bare = try #require(
                EnclaveKey(
                    header: header,
                    kind: key.kind,
                    publicKey: key.publicKey,
                    box: key.box,
                    content: key.content
                )
            )
            return UsePrivateKeyRequest(bare, for: use, with: .none).takesTime
        }
        #expect(slow.map(\.kind) == [.tpm, .mldsa65, .mldsa87])
    }

    @Test
    func `a use of a size that none has is neither sent nor read`() throws {
        let key = try #require(Self.privateKeys.first)
        let long = [UInt8](repeating: 1, count: KeyUse.largestMessage)
        let request = { (use: KeyUse) in
            try UsePrivateKeyRequest(key, for: use, with: Self.credentials).encoded(id: 1, uid: 1)
        }
        #expect(throws: KeychainError(.dataTooLarge, "")) {
            try request(.messageSignature(of: long + [1], context: []))
        }
        for use: KeyUse in [
            .messageSignature(of: [], context: [UInt8](repeating: 1, count: 256)), .decapsulation(of: []),
            .decapsulation(of: [UInt8](repeating: 1, count: 1_089)), .signature(ofDigest: [1]),
            .sharedSecret(with: [4]),
        ] {
            #expect(throws: KeychainError(.invalidParameter, "")) { try request(use) }
        }
        // A context of 255 bytes, made one longer, by hand.
        var bytes = try request(.messageSignature(of: [9, 9], context: [UInt8](repeating: 8, count: 255)))
        let start = try #require(bytes.indices.dropLast(3).first { Array(bytes[$0..<$0 + 4]) == [9, 9, 0, 255] })
        #expect(throws: Never.self) { try KnownRequests.decode(bytes) }
        bytes.replaceSubrange(start + 2..<start + 4, with: [1, 0])
        bytes.insert(8, at: start + 4)
        #expect(throws: KeychainError(.invalidParameter, "")) { try KnownRequests.decode(bytes) }
        // The same of a use that nobody knows.
        let plain = try UsePrivateKeyRequest(key, for: .messageSignature(of: [], context: []), with: .none)
            .encoded(id: 1, uid: 1)
        let number = EnclaveMessage.headerSize + 2 + key.bytes.count
        #expect(plain[number] == 3)
        for unknown: UInt8 in [0, 5, 255] {
            var other = plain
            other[number] = unknown
            #expect(throws: KeychainError(.invalidParameter, "")) { try KnownRequests.decode(other) }
        }
    }

    @Test
    func `all that a use may have fits into one message, and what it gives into another`() throws {
        let control = try AccessControl(protection: "akpu", flags: [.privateKeyUsage, .applicationPassword])
        let header = try #require(
            EnclaveKey.Header(
                keychain: ItemUUID(),
                accessGroup: String(repeating: "g", count: EnclaveKey.longestGroup),
                accessControl: control
            )
        )
        let publicKey = try #require(EnclavePublicKey([UInt8](repeating: 1, count: 2_592), of: .mldsa87))
        let size = EnclaveKey.largest - 57 - 12 - 1_026 - 2_594 - 4 - 92
        let key = try #require(
            EnclaveKey(
                header: header,
                kind: .mldsa87,
                publicKey: publicKey,
                box: [UInt8](repeating: 2, count: size),
                content: [UInt8](repeating: 3, count: 92)
            )
        )
        #expect(key.bytes.count == EnclaveKey.largest)
        let credentials = ItemCredentials(
            applicationPassword: try ApplicationPassword(SecretBytes([UInt8](repeating: 4, count: 1_024))),
            proofs: (0..<ItemCredentials.mostProofs).map { _ in PresenceProof() }
        )
        let use = KeyUse.messageSignature(
            of: [UInt8](repeating: 5, count: KeyUse.largestMessage),
            context: [UInt8](repeating: 6, count: KeyUse.largestContext)
        )
        let request = UsePrivateKeyRequest(key, for: use, with: credentials)
        #expect(throws: Never.self) { try KnownRequests.decode(request.encoded(id: 1, uid: 1)) }
        for size in [4_627, EnclaveMessage.largestResult] {
            let secret = SecretBytes([UInt8](repeating: 1, count: size))
            let bytes = try UsePrivateKeyRequest.encoded(answer: .success(secret), id: 1, uid: 1)
            let reply = try EnclaveReply(bytes, to: UsePrivateKeyRequest.self)
            #expect(try reply.result.get().get().count == size)
        }
        let larger = SecretBytes([UInt8](repeating: 1, count: 5_121))
        #expect(throws: KeychainError(.dataTooLarge, "")) {
            try UsePrivateKeyRequest.encoded(answer: .success(larger), id: 1, uid: 1)
        }
        let reply = try EnclaveReply(
            UsePrivateKeyRequest.reply(.success(.success(larger)), to: Self.header),
            to: UsePrivateKeyRequest.self
        )
        #expect(throws: KeychainError(.dataTooLarge, "")) { try reply.result.get() }
    }

    @Test(
        arguments: [
            (Prompt.Wish.passcode, PresenceFactors.biometry, 1, 5), (.password, [], 2, 4), (.newPassword, [], 3, 4),
            (.notice, .biometry, 4, 5), (.proof(.biometry), .biometry, 5, 5),
        ] as [(Prompt.Wish, PresenceFactors, UInt8, UInt8)]
    )
    func `the numbers of what is wanted never change`(
        wish: Prompt.Wish,
        readable: PresenceFactors,
        number: UInt8,
        flags: UInt8
    ) throws {
        let prompt = Prompt(
            question: ItemUUID(),
            wish: wish,
            asker: AskerDescription(.installed, name: ""),
            groups: [],
            wishes: PromptWishes(),
            readable: readable,
            isRepeated: false,
            unlocks: true
        )
        var bytes = try PrompterEvent.prompt(prompt).encoded(uid: 7)
        #expect(Array(bytes[28..<30]) == [number, flags])
        // A factor that is unknown here is not one that is left out.
        bytes[29] |= 64
        #expect(throws: KeychainError(.invalidParameter, "")) { try PrompterEvent.decode(bytes) }
        bytes[29] = flags
        bytes[28] = 128 | 64
        #expect(throws: KeychainError(.invalidParameter, "")) { try PrompterEvent.decode(bytes) }
    }

    @Test(arguments: [0, 1, 3, 64, 255] as [UInt8])
    func `a request or an event about what no reader reads is refused`(factor: UInt8) throws {
        var match = try MatchedRequest(ItemUUID(), by: .biometry).encoded(id: 3, uid: 1000)
        match[match.count - 1] = factor
        #expect(throws: KeychainError(.invalidParameter, "")) { try KnownRequests.decode(match) }
        var event = try PrompterEvent.stateRequest(.biometry).encoded(uid: 7)
        event[event.count - 1] = factor
        #expect(throws: KeychainError(.invalidParameter, "")) { try PrompterEvent.decode(event) }
    }

    @Test(arguments: [[1, 1], [2, 1], [0], [3], [64], [1, 2, 64]] as [[UInt8]])
    func `a status with a factor twice, out of order, or unknown is refused`(factors: [UInt8]) throws {
        let sample = Self.replies(
            to: PresenceStatusRequest.self,
            PresenceStatus(passcode: nil, biometry: nil)
        )[0].bytes
        #expect(Array(sample[12...]) == [2, 1, 0, 0, 2, 0, 0])
        let bytes = sample[..<12] + [UInt8(factors.count)] + factors.flatMap { [$0, 0, 0] }
        #expect(throws: KeychainError(.notAvailable, "")) {
            try EnclaveReply(bytes, to: PresenceStatusRequest.self)
        }
    }

    /// What items lack: a password, a proof, both.
    private static let lacks: [KeychainError] = [
        PresenceNeed(.nothing, password: .existing, items: []), PresenceNeed(.passcode, items: []),
        PresenceNeed(.passcode, password: .existing, items: []), PresenceNeed(.biometry, items: []),
        PresenceNeed(.owner, password: .existing, items: []),
    ].map { KeychainError(.interactionNotAllowed, "", presence: .needed($0)) }

    @Test(arguments: [Prompt.Wish.passcode, .password, .newPassword, .notice, .proof(.biometry)])
    func `what a prompter is told means the same after its trip, and is refused where it is cut off`(
        wish: Prompt.Wish
    ) throws {
        let prompt = Prompt(
            question: ItemUUID(),
            wish: wish,
            asker: AskerDescription(.installed, name: "org.example.door", path: "/usr/bin/tür"),
            groups: ["TEAM.a", "TEAM.grüppe"],
            isForView: wish == .password,
            wishes: Self.question.prompt,
            readable: wish == .passcode ? .biometry : [],
            isRepeated: wish == .password,
            unlocks: wish == .passcode,
            hint: wish == .notice ? .removeAndRetry : nil
        )
        for event in [PrompterEvent.prompt(prompt), .withdrawal(prompt.question), .stateRequest(.biometry)] {
            let bytes = try event.encoded(uid: 7)
            let (uid, decoded) = try PrompterEvent.decode(bytes)
            #expect(uid == 7 && decoded == event)
            for count in 0..<bytes.count {
                #expect(throws: KeychainError(.invalidParameter, "")) { try PrompterEvent.decode(bytes[..<count]) }
            }
            #expect(throws: KeychainError(.invalidParameter, "")) { try PrompterEvent.decode(bytes + [0]) }
        }
    }

    static let header = EnclaveMessage.Header(kind: 0, id: 3, uid: 1000)

    /// A reply to a request of some kind.
    struct Reply: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Of the answer; nil for a failure.
        let number: UInt8?
        let bytes: [UInt8]
        /// Reads a reply of this kind, and writes what it has read.
        let again: @Sendable ([UInt8]) throws -> [UInt8]

        init<Request: EnclaveRequest>(_: Request.Type, _ result: Result<Request.Answer, KeychainError>) {
            testDescription = "\(Request.self): \(result)"
            number = if case .success = result { Request.answerNumber } else { nil }
            bytes = Request.reply(result, to: header)
            again = { bytes in
                let reply = try EnclaveReply(bytes, to: Request.self)
                return Request.reply(reply.result, to: reply.header)
            }
        }
    }

    private static func replies<Request: EnclaveRequest>(
        to request: Request.Type,
        _ answers: Request.Answer...
    ) -> [Reply] {
        answers.map { Reply(request, .success($0)) } + [Reply(request, .failure(KeychainError(.undecodable, "no")))]
    }

    static let replies: [Reply] =
        [
            replies(to: LockRequest.self, ()),
            replies(to: KeychainPresenceRequest.self, .none, .complete, .incomplete(missing: "keybag")),
            replies(to: StateRequest.self, state),
            replies(
                to: ServiceKeysRequest.self,
                ServiceKeys(state: state, indexKey: key, metadata: [.always: [key], .whenUnlocked: [key, key]])
            ),
            replies(to: WrapRequest.self, [[], [1], [2, 3]]),
            replies(
                to: UnwrapRequest.self,
                [.success(key), .failure(KeychainError(.interactionNotAllowed, ""))],
                [.failure(PresenceFailure.noBiometry.error)],
                lacks.map { .failure($0) }
            ),
            replies(to: BackupKeyRequest.self, key), replies(to: SignBackupRequest.self, [1, 2]),
            replies(to: AskOwnerRequest.self, PresenceProof()),
            replies(to: AnswerPasscodeRequest.self, .accepted, .wrong, .over),
            replies(
                to: PresenceStatusRequest.self,
                PresenceStatus(passcode: nil, biometry: .noBiometry),
                PresenceStatus(passcode: .nobodyToAsk, biometry: nil, biometrySet: [1, 2, 3])
            ),
            replies(to: UsePrivateKeyRequest.self, .success(secret)),
            lacks.map { Reply(UsePrivateKeyRequest.self, .success(.failure($0))) },
            contexts.map { Reply(OpenContextRequest.self, .success($0)) },
            tokens.map { Reply(AuthorizeRequest.self, .success($0)) },
            privateKeys.map { Reply(MakePrivateKeyRequest.self, .success($0)) },
            SyncCeremonyState.Stage.allCases.map {
                Reply(CeremonyStateRequest.self, .success(SyncCeremonyState($0, digits: "012345")))
            },
            [Reply(WrapRequest.self, .failure(lacks[0]))],
            [Reply(AskOwnerRequest.self, .failure(PresenceFailure.declined.error))],
        ].flatMap(\.self)

    @Test(arguments: requests)
    func `a request means the same after its trip`(_ request: any EnclaveRequest) throws {
        let bytes = try request.encoded(id: 3, uid: 1000)
        let (header, decoded) = try KnownRequests.decode(bytes)
        #expect(header.id == 3 && header.uid == 1000)
        #expect(try decoded.encoded(id: 3, uid: 1000) == bytes)
        #expect(type(of: decoded) == type(of: request))
    }

    @Test
    func `every request has a number of its own, and one of its kind is tested here`() {
        let numbers = KnownRequests.all.map { $0.number }
        #expect(Set(numbers).count == numbers.count)
        #expect(Set(numbers) == Set(Self.requests.map { type(of: $0).number }))
    }

    @Test(arguments: replies)
    func `a reply means the same after its trip`(_ reply: Reply) throws {
        #expect(reply.number == nil || reply.bytes[1] == reply.number)
        #expect(reply.bytes[4..<12] == [0, 0, 0, 3, 0, 0, 3, 232])
        #expect(try reply.again(reply.bytes) == reply.bytes)
    }

    @Test func `the number of an answer never changes, and one of each is tested here`() {
        var numbers: [UInt8: UInt8] = [:]
        for request in KnownRequests.all { numbers[request.number] = request.answerNumber }
        var expected: [UInt8: UInt8] = [
            1: 129, 3: 131, 4: 132, 5: 133, 6: 130, 7: 130, 9: 134, 10: 135, 11: 135, 15: 132, 16: 137, 18: 139,
            19: 142,
            20: 143, 26: 144, 32: 130, 36: 135, 37: 135, 39: 135, 40: 135, 41: 132, 42: 134, 43: 135, 44: 135,
            67: 136, 73: 138, 74: 138, 81: 145, 82: 145, 96: 138, 97: 138,
        ]
        for number in numbers.keys where expected[number] == nil { expected[number] = 128 }
        #expect(numbers == expected)
        #expect(Set(numbers.values).isSubset(of: Set(Self.replies.map { $0.bytes[1] })))
    }

    @Test func `an answer to another request is no answer`() throws {
        let bytes = LockRequest.reply(.success(()), to: Self.header)
        #expect(throws: KeychainError(.notAvailable, "")) { try EnclaveReply(bytes, to: StateRequest.self) }
    }

    @Test
    func `an event means the same after its trip`() throws {
        let event = EnclaveEvent(id: 4, uid: 5, state: Self.state)
        #expect(try EnclaveEvent(event.encoded()) == event)
    }

    @Test(arguments: requests)
    func `a request that is cut off or goes on is refused`(_ request: any EnclaveRequest) throws {
        let bytes = try request.encoded(id: 3, uid: 1000)
        for count in 0..<bytes.count {
            #expect(throws: KeychainError(.invalidParameter, "")) { try KnownRequests.decode(bytes[..<count]) }
        }
        #expect(throws: KeychainError(.invalidParameter, "")) { try KnownRequests.decode(bytes + [0]) }
    }

    @Test(arguments: replies)
    func `a reply that is cut off or goes on is refused`(_ reply: Reply) throws {
        for count in 0..<reply.bytes.count {
            #expect(throws: KeychainError(.notAvailable, "")) { try reply.again(Array(reply.bytes[..<count])) }
        }
        #expect(throws: KeychainError(.notAvailable, "")) { try reply.again(reply.bytes + [0]) }
    }

    @Test
    func `a message of another version is refused`() throws {
        var bytes = try StateRequest().encoded(id: 1, uid: 1)
        bytes[0] = 2
        #expect(throws: KeychainError(.invalidParameter, "")) { try KnownRequests.decode(bytes) }
    }

    @Test
    func `what a message cannot hold is not sent`() {
        var large = Self.binding
        large = ItemBinding(
            itemClass: .genericPassword,
            uuid: ItemUUID(),
            version: large.version,
            accessGroup: String(repeating: "g", count: EnclaveMessage.largest),
            accessibility: 1,
            isSynchronizable: false,
            isTombstone: false,
            accessControl: []
        )
        #expect(throws: KeychainError(.dataTooLarge, "")) {
            try WrapRequest([UnwrappedItemKey(binding: large, key: Self.key)]).encoded(id: 1, uid: 1)
        }
    }

    @Test
    func `no two codes of errors have one number, and none has that of success`() {
        let numbers = KeychainError.Code.allCases.map(\.number)
        #expect(Set(numbers).count == numbers.count)
        #expect(!numbers.contains(0))
    }
}
