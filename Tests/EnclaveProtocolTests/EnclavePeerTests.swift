import Crypto
import EnclaveInterface
import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@testable import EnclaveClient
@testable import KeychainSystem

/// Who tries to have more of an enclave than is theirs.
struct EnclavePeerTests {
    private let served: ServedEnclave
    private let uid: UInt32 = 1000
    private let passcode = SecretBytes(Array("passcode".utf8))

    init() throws {
        served = try ServedEnclave()
    }

    @Test
    func `the keychain service's connection neither unlocks nor guesses nor gets leave`() throws {
        let channel = try served.rawChannel()
        try channel.ask(CreateKeychainRequest(), uid: uid)
        try served.setPasscode(passcode, of: uid)
        // The right passcode, so that nothing but the connection is wrong.
        let attempts: [any EnclaveRequest] = [
            UnlockRequest(passcode), VerifyPasscodeRequest(passcode), ChangePasscodeRequest(from: passcode, to: nil),
            LogInRequest(passcode, setsFirst: true),
            AuthorizeRequest(.export, passcode: passcode), ChangeSettingsRequest(LockSettings(), passcode: passcode),
            ConfirmPasscodeRequest(passcode, with: nil),
        ]
        for attempt in attempts {
            #expect(try channel.refusal(of: attempt, uid: uid) == KeychainError(.noPermission, ""))
        }
        // The same on the owner's.
        #expect(throws: Never.self) { try served.owner(of: uid).verify(passcode) }
    }

    @Test
    func `a service that was taken over uses no private key without its owner's proof, and no owner uses one`() throws {
        let channel = try served.rawChannel()
        try channel.ask(CreateKeychainRequest(), uid: uid)
        try served.setPasscode(passcode, of: uid)
        let flags: AccessControlFlags = [.privateKeyUsage, .userPresence]
        let template = EnclaveKeyTemplate(
            accessGroup: "TEAM.a",
            accessControl: try AccessControl(protection: "ak", flags: flags)
        )
        let key = try channel.ask(MakePrivateKeyRequest(template, with: .none), uid: uid)
        guard
            let bare = EnclaveKey.Header(
                keychain: key.header.keychain,
                uuid: key.header.uuid,
                version: key.header.version,
                accessGroup: "TEAM.a",
                accessControl: AccessControl(bare: .whenUnlocked)
            ),
            let stripped = EnclaveKey(
                header: bare,
                kind: key.kind,
                publicKey: key.publicKey,
                box: key.box,
                content: key.content
            )
        else { throw KeychainError(.internalError, "") }
        let use = KeyUse.signature(ofDigest: Array(repeating: 7, count: 32))
        let invented = ItemCredentials(proofs: (0..<ItemCredentials.mostProofs).map { _ in PresenceProof() })
        let password = ItemCredentials(applicationPassword: try ApplicationPassword(passcode))
        for credentials in [ItemCredentials.none, invented, password] {
            let used = try channel.ask(UsePrivateKeyRequest(key, for: use, with: credentials), uid: uid)
            #expect(throws: KeychainError(.interactionNotAllowed, "")) { try used.get() }
        }
        let forged = UsePrivateKeyRequest(stripped, for: use, with: invented)
        #expect(try channel.refusal(of: forged, uid: uid) == KeychainError(.undecodable, ""))
        // As an item's key nothing of it opens.
        let boxes = [key.box, key.content].map { WrappedItemKey(binding: ItemBinding(key.header), box: $0) }
        let opened = try channel.ask(UnwrapRequest(boxes, with: invented), uid: uid)
        #expect(opened.count == 2)
        for result in opened { #expect(throws: KeychainError(.undecodable, "")) { try result.get() } }
        let stranger = try PacketSocket(connectingTo: served.controlPath, within: .seconds(20))
        let attempts: [any EnclaveRequest] = [
            UsePrivateKeyRequest(key, for: use, with: .none), MakePrivateKeyRequest(template, with: .none),
        ]
        for attempt in attempts {
            #expect(try stranger.refusal(of: attempt, uid: uid) == KeychainError(.noPermission, ""))
        }
        // The control: one without demands signs for the service.
        let free = EnclaveKeyTemplate(accessGroup: "TEAM.a", accessControl: AccessControl(bare: .whenUnlocked))
        let plain = try channel.ask(MakePrivateKeyRequest(free, with: .none), uid: uid)
        let used = try channel.ask(UsePrivateKeyRequest(plain, for: use, with: .none), uid: uid)
        #expect(try used.get().count == 64)
    }

    @Test
    func `a service that was taken over has no key do what keys of its kind do not do, and is answered`() throws {
        let channel = try served.rawChannel()
        try channel.ask(CreateKeychainRequest(), uid: uid)
        let uses: [KeyUse] = [
            .signature(ofDigest: Array(repeating: 7, count: 32)), .sharedSecret(with: Array(repeating: 4, count: 65)),
            .messageSignature(of: [1], context: []), .decapsulation(of: Array(repeating: 7, count: 1_088)),
            .decapsulation(of: Array(repeating: 7, count: 1_568)),
        ]
        var possible = 0
        for algorithm in EnclaveKeyAlgorithm.allCases {
            let control = AccessControl(bare: .whenUnlocked)
            let template = EnclaveKeyTemplate(algorithm, accessGroup: "TEAM.a", accessControl: control)
            let key = try channel.ask(MakePrivateKeyRequest(template, with: .none), uid: uid)
            #expect(key.kind.algorithm == algorithm)
            for use in uses {
                do {
                    _ = try channel.ask(UsePrivateKeyRequest(key, for: use, with: .none), uid: uid).get()
                    possible += 1
                } catch let error as KeychainError {
                    #expect(error == KeychainError(.invalidParameter, ""))
                }
            }
        }
        // The digest, both messages and both ciphertexts. The point is not on the curve.
        #expect(possible == 5)
    }

    @Test
    func `an owner's connection gets no key and wraps none`() throws {
        let channel = try served.rawChannel()
        try channel.ask(CreateKeychainRequest(), uid: uid)
        let key = SymmetricKey(size: .bits256)
        let binding = ItemBinding.sample()
        let boxes = try channel.ask(WrapRequest([UnwrappedItemKey(binding: binding, key: key)]), uid: uid)
        let box = try #require(boxes.first)
        let stranger = try PacketSocket(connectingTo: served.controlPath, within: .seconds(20))
        let unwrap = UnwrapRequest([WrappedItemKey(binding: binding, box: box)])
        let attempts: [any EnclaveRequest] = [
            unwrap, ServiceKeysRequest(), BackupKeyRequest(ItemUUID()),
            SignBackupRequest(digest: Array(repeating: 0, count: 32)), WrapRequest([]), FinishRotationRequest(1),
            CreateKeychainRequest(), OpenChannelRequest(),
        ]
        for attempt in attempts {
            #expect(try stranger.refusal(of: attempt, uid: uid) == KeychainError(.noPermission, ""))
        }
        // The same on the service's.
        #expect(try channel.ask(unwrap, uid: uid).first?.get() == key)
    }

    @Test
    func `a locked enclave gives out nothing of what it has locked, whoever asks`() throws {
        let channel = try served.rawChannel()
        try channel.ask(CreateKeychainRequest(), uid: uid)
        let owner = try served.owner(of: uid)
        try served.setPasscode(passcode, of: uid, by: owner)
        let binding = ItemBinding.sample()
        let wrapped = try channel.ask(
            WrapRequest([UnwrappedItemKey(binding: binding, key: SymmetricKey(size: .bits256))]),
            uid: uid
        )
        let box = try #require(wrapped.first)
        let unwrap = UnwrapRequest([WrappedItemKey(binding: binding, box: box)])
        func isOpened() throws -> Bool {
            try channel.ask(unwrap, uid: uid).contains { (try? $0.get()) != nil }
        }
        #expect(try isOpened())
        try channel.ask(LockRequest(), uid: uid)
        #expect(try !isOpened())
        try owner.unlock(passcode)
        #expect(try isOpened())
    }

    @Test
    func `a box opens for no other row, group, class or user than it was wrapped for`() throws {
        let channel = try served.rawChannel()
        try channel.ask(CreateKeychainRequest(), uid: uid)
        try channel.ask(CreateKeychainRequest(), uid: uid + 1)
        let binding = ItemBinding.sample()
        let wrapped = try channel.ask(
            WrapRequest([UnwrappedItemKey(binding: binding, key: SymmetricKey(size: .bits256))]),
            uid: uid
        )
        let box = try #require(wrapped.first)
        func edited(
            itemClass: ItemClass? = nil,
            uuid: ItemUUID? = nil,
            version: [UInt8]? = nil,
            group: String? = nil,
            accessibility: Accessibility? = nil,
            synchronizable: Bool? = nil,
            tombstone: Bool? = nil,
            control: [UInt8]? = nil
        ) -> ItemBinding {
            ItemBinding(
                itemClass: itemClass ?? binding.itemClass,
                uuid: uuid ?? binding.uuid,
                version: version ?? binding.version,
                accessGroup: group ?? binding.accessGroup,
                accessibility: accessibility?.code ?? binding.accessibility,
                isSynchronizable: synchronizable ?? binding.isSynchronizable,
                isTombstone: tombstone ?? binding.isTombstone,
                accessControl: control ?? binding.accessControl
            )
        }
        func opens(_ binding: ItemBinding, uid: UInt32) throws -> Bool {
            let keys = try channel.ask(UnwrapRequest([WrappedItemKey(binding: binding, box: box)]), uid: uid)
            return keys.contains { (try? $0.get()) != nil }
        }
        #expect(try opens(binding, uid: uid))
        #expect(try !opens(binding, uid: uid + 1))
        let edits = [
            edited(itemClass: .internetPassword), edited(uuid: ItemUUID()), edited(version: ItemUUID().bytes),
            edited(group: "TEAM.b"), edited(accessibility: .always), edited(synchronizable: true),
            edited(tombstone: true), edited(control: [1]),
        ]
        for edit in edits { #expect(try !opens(edit, uid: uid)) }
    }

    @Test
    func `an authorization counts once, for one operation, and not when it is made up`() throws {
        let channel = try served.rawChannel()
        try channel.ask(CreateKeychainRequest(), uid: uid)
        let owner = try served.owner(of: uid)
        try served.setPasscode(passcode, of: uid, by: owner)
        let given = try owner.authorize(.export, passcode: passcode)
        func redeem(_ token: AuthorizationToken, _ operation: GuardedOperation, _ uid: UInt32) throws -> Bool {
            try channel.refusal(of: RedeemRequest(token, for: operation), uid: uid) == nil
        }
        let madeUp = try #require(AuthorizationToken(Array(repeating: 1, count: 32)))
        #expect(try !redeem(madeUp, .export, uid))
        #expect(try !redeem(given, .backup, uid))
        let second = try owner.authorize(.export, passcode: passcode)
        #expect(try redeem(second, .export, uid))
        #expect(try !redeem(second, .export, uid))
    }

    @Test(.enabled(if: geteuid() == 0, "needs another user"))
    func `no user reaches another's enclave`() throws {
        try served.rawChannel().ask(CreateKeychainRequest(), uid: uid)
        chmod(served.controlPath, 0o666)
        chmod(served.folder, 0o755)
        // A child with another uid, since credentials are those of whoever connected.
        let mine = try asking(uid, as: uid)
        let others = try asking(uid, as: uid + 1)
        #expect(mine == 130)
        #expect(others == 255)
    }

    /// The kind of the reply to a question for a state.
    private func asking(_ about: UInt32, as user: UInt32) throws -> UInt8 {
        let message = try StateRequest().encoded(id: 1, uid: about).map { String($0) }.joined(separator: ",")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "setpriv", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "/usr/bin/python3", "-c",
            """
            import socket
            s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            s.connect('\(served.controlPath)')
            s.send(bytes([\(message)]))
            print(s.recv(65536)[1])
            """,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.runHearingSignals()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return UInt8(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    @Test
    func `nobody but the trusted prompter says that a finger was read, or registers for fingers`() throws {
        let channel = try served.rawChannel()
        try channel.ask(CreateKeychainRequest(), uid: uid)
        let owner = try PacketSocket(connectingTo: served.controlPath, within: .seconds(20))
        let attempts: [any EnclaveRequest] = [
            MatchedRequest(ItemUUID(), by: .biometry), MismatchedRequest(ItemUUID(), by: .biometry),
            ReaderHintRequest(ItemUUID(), .retry, by: .biometry),
            ReaderStateRequest(ReaderState(obstacle: nil, set: .empty), of: .biometry),
            RegisterPrompterRequest(.biometry),
            RegisterPrompterRequest([.typing, .biometry]),
        ]
        for attempt in attempts {
            #expect(try channel.refusal(of: attempt, uid: uid) == KeychainError(.noPermission, ""))
            #expect(try owner.refusal(of: attempt, uid: uid) == KeychainError(.noPermission, ""))
        }
        // The same of whoever is the prompter.
        let trusting = try ServedEnclave(prompter: geteuid())
        try trusting.rawChannel().ask(CreateKeychainRequest(), uid: uid)
        for attempt in attempts {
            let prompter = try PacketSocket(connectingTo: trusting.controlPath, within: .seconds(20))
            #expect(try prompter.refusal(of: attempt, uid: uid) == nil)
        }
        let idle = try PacketSocket(connectingTo: trusting.controlPath, within: .seconds(20))
        #expect(try idle.refusal(of: RegisterPrompterRequest([]), uid: uid) == KeychainError(.noPermission, ""))
    }

    @Test
    func `the trusted prompter gets no key and no state, and neither locks nor changes anything`() throws {
        let trusting = try ServedEnclave(prompter: geteuid())
        try trusting.rawChannel().ask(CreateKeychainRequest(), uid: uid)
        let prompter = try PacketSocket(connectingTo: trusting.controlPath, within: .seconds(20))
        let attempts: [any EnclaveRequest] = [
            StateRequest(), LockRequest(), LogOutRequest(), UnlockRequest(passcode), VerifyPasscodeRequest(passcode),
            ChangePasscodeRequest(from: nil, to: passcode),
            AuthorizeRequest(.export, passcode: nil), ChangeSettingsRequest(LockSettings(), passcode: nil),
            ServiceKeysRequest(), UnwrapRequest([]),
            WrapRequest([]), CreateKeychainRequest(), PresenceStatusRequest(), ForgetProofRequest(PresenceProof()),
            OpenChannelRequest(),
        ]
        for attempt in attempts {
            #expect(try prompter.refusal(of: attempt, uid: uid) == KeychainError(.noPermission, ""))
        }
    }

    @Test
    func `what is no message ends its connection and no other`() throws {
        let good = try served.rawChannel()
        try good.ask(CreateKeychainRequest(), uid: uid)
        for bytes in [[0], [UInt8](repeating: 0xFF, count: 100), [UInt8](repeating: 1, count: 60_000)] as [[UInt8]] {
            let bad = try PacketSocket(connectingTo: served.controlPath, within: .seconds(20))
            _ = bad.send(bytes)
            var buffer = [UInt8](repeating: 0, count: 100)
            #expect(bad.receive(into: &buffer).0 == .gone)
        }
        #expect(try good.refusal(of: StateRequest(), uid: uid) == nil)
    }
}
