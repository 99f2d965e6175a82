import Crypto
import KeychainEnclave
import KeychainModel
import Testing

@testable import EnclaveMessages
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

    static let requests: [any EnclaveRequest] = plainRequests + requestsWithTokens + requestsWithContexts + keyRequests

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
        ForgetProofRequest(PresenceProof()),
        PresenceStatusRequest(), RegisterPrompterRequest(.typing), AnswerPasscodeRequest(secret, to: ItemUUID()),
        AnswerPasswordRequest(secret, to: ItemUUID()),
        DeclineRequest(ItemUUID(), because: .declined, of: .typing), FingerMatchedRequest(ItemUUID()),
        FingerMismatchedRequest(ItemUUID()),
        FingerHintRequest(ItemUUID(), .notCentered),
        BiometryStateRequest(BiometryState(obstacle: nil, set: .empty)),
        BiometryStateRequest(BiometryState(obstacle: .notEnrolled, set: nil)), RegisterPrompterRequest(.biometry),
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
            let reply = EnclaveReply.used(.success(SecretBytes([UInt8](repeating: 1, count: size))))
            let bytes = try reply.encoded(id: 1, uid: 1)
            guard case .used(.success(let result)) = try EnclaveReply.decode(bytes).reply else {
                throw KeychainError(.internalError, "")
            }
            #expect(result.count == size)
        }
        let larger = EnclaveReply.used(.success(SecretBytes([UInt8](repeating: 1, count: 5_121))))
        #expect(throws: KeychainError(.dataTooLarge, "")) { try larger.encoded(id: 1, uid: 1) }
    }

    /// What items lack: a password, a proof, both.
    private static let lacks: [KeychainError] = [
        PresenceNeed(.nothing, password: .existing, items: []), PresenceNeed(.passcode, items: []),
        PresenceNeed(.passcode, password: .existing, items: []), PresenceNeed(.biometry, items: []),
        PresenceNeed(.owner, password: .existing, items: []),
    ].map { KeychainError(.interactionNotAllowed, "", presence: .needed($0)) }

    @Test(arguments: [Prompt.Wish.passcode, .password, .newPassword, .notice, .biometry])
    func `what a prompter is told means the same after its trip, and is refused where it is cut off`(
        wish: Prompt.Wish
    ) throws {
        let prompt = Prompt(
            question: ItemUUID(),
            wish: wish,
            asker: AskerDescription(.installed, name: "org.example.door", path: "/usr/bin/tür"),
            groups: ["TEAM.a", "TEAM.grüppe"],
            wishes: Self.question.prompt,
            biometryIsEnough: wish == .passcode,
            isRepeated: wish == .password,
            unlocks: wish == .passcode,
            hint: wish == .notice ? .removeAndRetry : nil
        )
        for event in [PrompterEvent.prompt(prompt), .withdrawal(prompt.question), .biometryRequest] {
            let bytes = try event.encoded(uid: 7)
            let (uid, decoded) = try PrompterEvent.decode(bytes)
            #expect(uid == 7 && decoded == event)
            for count in 0..<bytes.count {
                #expect(throws: KeychainError(.invalidParameter, "")) { try PrompterEvent.decode(bytes[..<count]) }
            }
            #expect(throws: KeychainError(.invalidParameter, "")) { try PrompterEvent.decode(bytes + [0]) }
        }
    }

    static let replies: [EnclaveReply] =
        [
            .done, .presence(.none), .presence(.complete), .presence(.incomplete(missing: "keybag")), .state(state),
            .serviceKeys(
                ServiceKeys(state: state, indexKey: key, metadata: [.always: [key], .whenUnlocked: [key, key]])
            ),
            .boxes([[], [1], [2, 3]]), .keys([.success(key), .failure(KeychainError(.interactionNotAllowed, ""))]),
            .keys([.failure(PresenceFailure.noBiometry.error)]),
            .key(key), .bytes([1, 2]), .failure(KeychainError(.authenticationFailed, "wrong")), .proof(PresenceProof()),
            .answer(.accepted), .answer(.wrong), .answer(.over), .failure(PresenceFailure.declined.error),
            .presenceStatus(PresenceStatus(passcode: nil, biometry: .noBiometry)),
            .presenceStatus(PresenceStatus(passcode: .nobodyToAsk, biometry: nil, biometrySet: [1, 2, 3])),
            .failure(lacks[0]), .keys(lacks.map { .failure($0) }), .used(.success(secret)),
        ] + contexts.map { .context($0) } + tokens.map { .token($0) } + lacks.map { .used(.failure($0)) }
        + privateKeys.map { .enclaveKey($0) }

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
    func `a reply means the same after its trip`(_ reply: EnclaveReply) throws {
        let bytes = try reply.encoded(id: 3, uid: 1000)
        let (header, decoded) = try EnclaveReply.decode(bytes)
        #expect(header.id == 3 && header.uid == 1000)
        #expect(try decoded.encoded(id: 3, uid: 1000) == bytes)
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
    func `a reply that is cut off or goes on is refused`(_ reply: EnclaveReply) throws {
        let bytes = try reply.encoded(id: 3, uid: 1000)
        for count in 0..<bytes.count {
            #expect(throws: KeychainError(.notAvailable, "")) { try EnclaveReply.decode(bytes[..<count]) }
        }
        #expect(throws: KeychainError(.notAvailable, "")) { try EnclaveReply.decode(bytes + [0]) }
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
