import Crypto
import Foundation
import KeychainEnclave
import KeychainModel
import KeychainTestSupport
import Testing

@testable import EnclaveProtocol

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
        _ = try channel.ask(.create, uid: uid)
        try served.setPasscode(passcode, of: uid)
        // The right passcode, so that nothing but the connection is wrong.
        let attempts: [EnclaveRequest] = [
            .unlock(passcode), .verify(passcode), .changePasscode(from: passcode, to: nil),
            .authorize(.export, passcode: passcode), .change(LockSettings(), passcode: passcode),
            .confirmPasscode(passcode, with: nil),
        ]
        for attempt in attempts {
            #expect(try channel.ask(attempt, uid: uid)?.error == KeychainError(.noPermission, ""))
        }
        // The same on the owner's.
        #expect(throws: Never.self) { try served.owner(of: uid).verify(passcode) }
    }

    @Test
    func `a service that was taken over uses no private key without its owner's proof, and no owner uses one`() throws {
        let channel = try served.rawChannel()
        _ = try channel.ask(.create, uid: uid)
        try served.setPasscode(passcode, of: uid)
        let flags: AccessControlFlags = [.privateKeyUsage, .userPresence]
        let template = EnclaveKeyTemplate(
            accessGroup: "TEAM.a",
            accessControl: try AccessControl(protection: "ak", flags: flags)
        )
        guard case .enclaveKey(let key) = try channel.ask(.makeKey(template, with: .none), uid: uid),
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
            guard case .used(.failure) = try channel.ask(.useKey(key, for: use, with: credentials), uid: uid) else {
                Issue.record("the key was used without a proof")
                continue
            }
        }
        let forged = try channel.ask(.useKey(stripped, for: use, with: invented), uid: uid)
        #expect(forged?.error == KeychainError(.undecodable, ""))
        // As an item's key nothing of it opens.
        let boxes = [key.box, key.content].map { WrappedItemKey(binding: ItemBinding(key.header), box: $0) }
        guard case .keys(let opened) = try channel.ask(.unwrap(boxes, with: invented), uid: uid) else {
            throw KeychainError(.internalError, "")
        }
        for result in opened { #expect(throws: KeychainError(.undecodable, "")) { try result.get() } }
        let stranger = try PacketSocket(connectingTo: served.controlPath, within: .seconds(20))
        for attempt in [EnclaveRequest.useKey(key, for: use, with: .none), .makeKey(template, with: .none)] {
            #expect(try stranger.ask(attempt, uid: uid)?.error == KeychainError(.noPermission, ""))
        }
        // The control: one without demands signs for the service.
        let free = EnclaveKeyTemplate(accessGroup: "TEAM.a", accessControl: AccessControl(bare: .whenUnlocked))
        guard case .enclaveKey(let plain) = try channel.ask(.makeKey(free, with: .none), uid: uid),
            case .used(.success(let signature)) = try channel.ask(.useKey(plain, for: use, with: .none), uid: uid)
        else { throw KeychainError(.internalError, "") }
        #expect(signature.count == 64)
    }

    @Test
    func `an owner's connection gets no key and wraps none`() throws {
        let channel = try served.rawChannel()
        _ = try channel.ask(.create, uid: uid)
        let key = SymmetricKey(size: .bits256)
        let binding = ItemBinding.sample()
        let boxes = try channel.ask(.wrap([UnwrappedItemKey(binding: binding, key: key)]), uid: uid)
        guard case .boxes(let boxes) = boxes, let box = boxes.first else { throw KeychainError(.internalError, "") }
        let stranger = try PacketSocket(connectingTo: served.controlPath, within: .seconds(20))
        let attempts: [EnclaveRequest] = [
            .unwrap([WrappedItemKey(binding: binding, box: box)]), .serviceKeys, .backupKey(ItemUUID()),
            .sign(backupDigest: Array(repeating: 0, count: 32)), .wrap([]), .finishRotation(1), .create, .openChannel,
        ]
        for attempt in attempts {
            #expect(try stranger.ask(attempt, uid: uid)?.error == KeychainError(.noPermission, ""))
        }
        // The same on the service's.
        guard case .keys(let keys) = try channel.ask(attempts[0], uid: uid) else {
            throw KeychainError(.internalError, "")
        }
        #expect(try keys.first?.get() == key)
    }

    @Test
    func `a locked enclave gives out nothing of what it has locked, whoever asks`() throws {
        let channel = try served.rawChannel()
        _ = try channel.ask(.create, uid: uid)
        let owner = try served.owner(of: uid)
        try served.setPasscode(passcode, of: uid, by: owner)
        let binding = ItemBinding.sample()
        let wrapped = try channel.ask(
            .wrap([UnwrappedItemKey(binding: binding, key: SymmetricKey(size: .bits256))]),
            uid: uid
        )
        guard case .boxes(let boxes) = wrapped, let box = boxes.first else { throw KeychainError(.internalError, "") }
        let unwrap = EnclaveRequest.unwrap([WrappedItemKey(binding: binding, box: box)])
        func isOpened() throws -> Bool {
            guard case .keys(let keys) = try channel.ask(unwrap, uid: uid) else { return false }
            return keys.contains { (try? $0.get()) != nil }
        }
        #expect(try isOpened())
        _ = try channel.ask(.lock, uid: uid)
        #expect(try !isOpened())
        try owner.unlock(passcode)
        #expect(try isOpened())
    }

    @Test
    func `a box opens for no other row, group, class or user than it was wrapped for`() throws {
        let channel = try served.rawChannel()
        _ = try channel.ask(.create, uid: uid)
        _ = try channel.ask(.create, uid: uid + 1)
        let binding = ItemBinding.sample()
        let wrapped = try channel.ask(
            .wrap([UnwrappedItemKey(binding: binding, key: SymmetricKey(size: .bits256))]),
            uid: uid
        )
        guard case .boxes(let boxes) = wrapped, let box = boxes.first else { throw KeychainError(.internalError, "") }
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
            let reply = try channel.ask(.unwrap([WrappedItemKey(binding: binding, box: box)]), uid: uid)
            guard case .keys(let keys) = reply else { return false }
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
    func `leave is given once, for one thing, and to nobody who made it up`() throws {
        let channel = try served.rawChannel()
        _ = try channel.ask(.create, uid: uid)
        let owner = try served.owner(of: uid)
        try served.setPasscode(passcode, of: uid, by: owner)
        let given = try owner.authorize(.export, passcode: passcode)
        func redeem(_ token: AuthorizationToken, _ operation: GuardedOperation, _ uid: UInt32) throws -> Bool {
            try channel.ask(.redeem(token, for: operation), uid: uid)?.error == nil
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
        _ = try served.rawChannel().ask(.create, uid: uid)
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
        let message = try EnclaveRequest.state.encoded(id: 1, uid: about).map { String($0) }.joined(separator: ",")
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
    func `nobody but the trusted prompter says that a finger was read, or attends for fingers`() throws {
        let channel = try served.rawChannel()
        _ = try channel.ask(.create, uid: uid)
        let owner = try PacketSocket(connectingTo: served.controlPath, within: .seconds(20))
        let attempts: [EnclaveRequest] = [
            .matched(ItemUUID()), .mismatched(ItemUUID()), .hint(ItemUUID(), .retry),
            .saw(BiometryState(obstacle: nil, set: .empty)), .attend(.biometry), .attend([.typing, .biometry]),
        ]
        for attempt in attempts {
            #expect(try channel.ask(attempt, uid: uid)?.error == KeychainError(.noPermission, ""))
            #expect(try owner.ask(attempt, uid: uid)?.error == KeychainError(.noPermission, ""))
        }
        // The same of whoever is the prompter.
        let trusting = try ServedEnclave(prompter: geteuid())
        _ = try trusting.rawChannel().ask(.create, uid: uid)
        for attempt in attempts {
            let prompter = try PacketSocket(connectingTo: trusting.controlPath, within: .seconds(20))
            #expect(try prompter.ask(attempt, uid: uid)?.error == nil)
        }
    }

    @Test
    func `the trusted prompter gets no key and no state, and neither locks nor changes anything`() throws {
        let trusting = try ServedEnclave(prompter: geteuid())
        _ = try trusting.rawChannel().ask(.create, uid: uid)
        let prompter = try PacketSocket(connectingTo: trusting.controlPath, within: .seconds(20))
        let attempts: [EnclaveRequest] = [
            .state, .lock, .logOut, .unlock(passcode), .verify(passcode), .changePasscode(from: nil, to: passcode),
            .authorize(.export, passcode: nil), .change(LockSettings(), passcode: nil), .serviceKeys, .unwrap([]),
            .wrap([]), .create, .presenceStatus, .forget(PresenceProof()), .openChannel,
        ]
        for attempt in attempts {
            #expect(try prompter.ask(attempt, uid: uid)?.error == KeychainError(.noPermission, ""))
        }
    }

    @Test
    func `what is no message ends its connection and no other`() throws {
        let good = try served.rawChannel()
        _ = try good.ask(.create, uid: uid)
        for bytes in [[0], [UInt8](repeating: 0xFF, count: 100), [UInt8](repeating: 1, count: 60_000)] as [[UInt8]] {
            let bad = try PacketSocket(connectingTo: served.controlPath, within: .seconds(20))
            _ = bad.send(bytes)
            var buffer = [UInt8](repeating: 0, count: 100)
            #expect(bad.receive(into: &buffer).0 == .gone)
        }
        #expect(try good.ask(.state, uid: uid)?.error == nil)
    }
}
