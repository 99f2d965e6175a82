import Crypto
import Foundation
import KeychainClient
import KeychainDeviceKeys
import KeychainModel
import KeychainSync
import KeychainTestSupport
import SyncTestSupport
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import KeychainVault
@testable import LocalEnclave

/// Files of each version, made once and kept: whatever changes in the code, they open and say the same.
@Suite("Files that were made before")
struct GoldenTests {
    private static func golden(_ name: String) throws -> [UInt8] {
        let folder = try #require(Bundle.module.resourceURL).appending(path: "Golden")
        return Array(try Data(contentsOf: folder.appending(path: name)))
    }

    private func keychain() throws -> TestKeychain {
        let keychain = try TestKeychain()
        mkdir(keychain.path, 0o700)
        for (name, path) in [
            ("device.key", keychain.deviceKey), ("keybag", keychain.keybag), ("keychain.db", keychain.database),
        ] {
            try keychain.write(Self.golden(name), to: path)
        }
        return keychain
    }

    private static let password: AttributeList = {
        var list = AttributeList()
        list["acct"] = .string("alice")
        list["svce"] = .string("golden service")
        list["labl"] = .string("Gölden")
        list["gena"] = .data([0, 1, 2, 255])
        list["icmt"] = .string("a comment")
        list["crtr"] = .integer(1_234)
        list["invi"] = .integer(1)
        return list
    }()

    private static func requests() -> [AddRequest] {
        var password = AddRequest(itemClass: .genericPassword)
        password.attributes = Self.password
        password.secrets[.valueData] = SecretBytes(Array("golden password".utf8))
        var shared = AddRequest(itemClass: .genericPassword)
        shared.attributes["acct"] = .data(Array("bob".utf8))
        shared.accessGroup = "golden.other"
        shared.isSynchronizable = true
        shared.accessibility = .afterFirstUnlock
        var internet = AddRequest(itemClass: .internetPassword)
        internet.attributes["srvr"] = .string("example.org")
        internet.attributes["port"] = .integer(443)
        internet.secrets[.valueData] = SecretBytes(Array("internet".utf8))
        internet.secrets["binn"] = SecretBytes(Array("notes".utf8))
        var certificate = AddRequest(itemClass: .certificate)
        certificate.attributes["slnr"] = .data([1, 2, 3])
        certificate.secrets[.valueData] = SecretBytes(Array("certificate".utf8))
        var key = AddRequest(itemClass: .key)
        key.attributes["klbl"] = .data([4, 5, 6])
        key.attributes["sdat"] = .date(700_000_000.5)
        key.secrets[.valueData] = SecretBytes(Array("key".utf8))
        return [password, shared, internet, certificate, key]
    }

    private static let groups = ["golden.default", "golden.other"]

    @Test func `the device key has the bytes that it was given`() throws {
        let key = try DeviceKey(file: SecretBytes(Self.golden("device.key")))
        #expect(try key.file.withUnsafeBytes { Array($0) } == Self.golden("device.key"))
    }

    @Test func `the keybag of version 1 opens with the keys that it had`() throws {
        let key = try DeviceKey(file: SecretBytes(Self.golden("device.key")))
        let keybag = try Keybag(file: Self.golden("keybag"), under: key)
        #expect(keybag.generation == 1)
        #expect(!keybag.hasPasscode)
        let vault = try KeychainVault(LocalEnclave(keybag, under: key))
        let code = vault.headerCode(for: Array("golden".utf8)).prefix(8).map { String($0, radix: 16) }
        #expect(code.joined(separator: " ") == "e4 4e f4 4f df b8 50 2d")
    }

    private static let passcode = "g\u{F6}lden passcode"

    @Test func `the keybag of version 3 opens with its passcode and is written as it was read`() throws {
        let key = try DeviceKey(file: SecretBytes(Self.golden("device.key")))
        let file = try Self.golden("keybag-3")
        let keybag = try Keybag(file: file, under: key)
        #expect(keybag.file(under: key) == file)
        #expect(keybag.passcode?.isConfirmed == true)
        #expect(keybag.settings == LockSettings(locksOnSleep: false, timeout: 300, wipesAfter: 10))
        try opens("keybag-3")
    }

    @Test func `the keybag of version 2 opens with its passcode, which nobody has confirmed`() throws {
        let key = try DeviceKey(file: SecretBytes(Self.golden("device.key")))
        let file = try Self.golden("keybag-2")
        let keybag = try Keybag(file: file, under: key)
        #expect(keybag.passcode?.isConfirmed == false)
        // Any program could have had the keys destroyed.
        #expect(keybag.settings == LockSettings(locksOnSleep: false, timeout: 300))
        let written = keybag.file(under: key)
        #expect(written.count == file.count + 1 && written[4] == 3)
        #expect(try Keybag(file: written, under: key).file(under: key) == written)
        try opens("keybag-2")
    }

    /// What a keybag of those that know passcodes has in it.
    private func opens(_ name: String) throws {
        let key = try DeviceKey(file: SecretBytes(Self.golden("device.key")))
        let file = try Self.golden(name)
        let keybag = try Keybag(file: file, under: key)
        #expect(keybag.hasPasscode && keybag.isRotating)
        let enclave = try LocalEnclave(MemoryStorage(keybag: file), device: MemoryBinding(key))
        #expect(try enclave.state().lock == .beforeFirstUnlock)
        // The same passcode as it is typed elsewhere.
        let typed = SecretBytes(Array("go\u{308}lden passcode".utf8))
        try LocalControl(enclave, for: .owner).unlock(typed)
        let keys = try enclave.serviceKeys()
        #expect(keys.metadata.count == 7)
        #expect(keys.metadata[.whenUnlocked]?.count == 2)
        #expect(keys.metadata[.always]?.count == 1)
        let box = try WrappedItemKey(binding: Self.binding, box: Self.golden(name + "-box"))
        let opened = try #require(try enclave.unwrap([box]).first).get()
        #expect(opened.withUnsafeBytes { Array($0) } == [UInt8](repeating: 7, count: 32))
        let parts = try [enclave.backupSigner(), enclave.deviceKey(ofBackup: Self.uuid).withUnsafeBytes { Array($0) }]
        #expect(try parts.flatMap(\.self) == Self.golden(name + "-backups"))
    }

    private static let uuid = ItemUUID([UInt8](repeating: 5, count: 16)) ?? ItemUUID()

    /// What an item's key is bound to that was wrapped when the file was made.
    private static let binding = ItemBinding(
        itemClass: .genericPassword,
        uuid: uuid,
        version: [UInt8](repeating: 6, count: 16),
        accessGroup: "group",
        accessibility: Accessibility.whenUnlocked.code,
        isSynchronizable: false,
        isTombstone: false,
        accessControl: []
    )

    // MARK: - Private keys

    /// An enclave with the keys of the keybag of version 3.
    private func enclave(_ syncKeys: [UInt8]? = nil) throws -> LocalEnclave {
        let key = try DeviceKey(file: SecretBytes(Self.golden("device.key")))
        let storage = MemoryStorage(keybag: try Self.golden("keybag-3"))
        try storage.write(syncKeys: syncKeys)
        let enclave = try LocalEnclave(storage, device: MemoryBinding(key))
        let owner = LocalControl(enclave, for: .owner)
        try owner.unlock(SecretBytes(Array(Self.passcode.utf8)))
        return enclave
    }

    @Test(arguments: EnclaveKeyAlgorithm.allCases)
    func `a private key of version 1 does what it did, and is written as it was read`(
        algorithm: EnclaveKeyAlgorithm
    ) throws {
        let bytes = try Self.golden("enclave-key-\(algorithm)")
        let key = try #require(EnclaveKey(bytes))
        #expect(key.bytes == bytes)
        #expect(key.kind == EnclaveKey.Kind(software: algorithm))
        #expect(key.header.accessGroup == "golden.default")
        #expect(key.header.accessibility == .whenUnlocked)
        let publicKey = key.publicKey.externalRepresentation
        let message = Array("golden".utf8)
        func result(_ use: KeyUse) throws -> [UInt8] {
            try enclave().use(key, for: use, with: .none).withUnsafeBytes { Array($0) }
        }
        switch algorithm {
        case .p256:
            let digest = SHA256.hash(data: message)
            let raw = try result(.signature(ofDigest: Array(digest)))
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: raw)
            #expect(try P256.Signing.PublicKey(x963Representation: publicKey).isValidSignature(signature, for: digest))
        case .mldsa65:
            let signature = try result(.messageSignature(of: message, context: [1]))
            let verifier = try MLDSA65.PublicKey(rawRepresentation: publicKey)
            #expect(verifier.isValidSignature(signature, for: message, context: [1] as [UInt8]))
        case .mldsa87:
            let signature = try result(.messageSignature(of: message, context: [1]))
            let verifier = try MLDSA87.PublicKey(rawRepresentation: publicKey)
            #expect(verifier.isValidSignature(signature, for: message, context: [1] as [UInt8]))
        case .mlkem768:
            let made = try MLKEM768.PublicKey(rawRepresentation: publicKey).encapsulate()
            let secret = try result(.decapsulation(of: Array(made.encapsulated)))
            #expect(SymmetricKey(data: secret) == made.sharedSecret)
        case .mlkem1024:
            let made = try MLKEM1024.PublicKey(rawRepresentation: publicKey).encapsulate()
            let secret = try result(.decapsulation(of: Array(made.encapsulated)))
            #expect(SymmetricKey(data: secret) == made.sharedSecret)
        }
    }

    // MARK: - The keys of a device in a circle

    private static let circleDigest = SyncHash(of: [1])

    /// What the device does with its keys: its card, and the code of a digest and the key of a box in its epoch.
    private static func uses(of enclave: LocalEnclave, in epoch: EpochID) throws -> [UInt8] {
        let keys = try EnclaveDeviceKeys(in: enclave)
        let request = SyncBoxKeyRequest(SyncTier.unlocked.rawValue, in: epoch.bytes, for: circleDigest.bytes)
        let boxKey = try enclave.answer(request).withUnsafeBytes { Array($0) }
        return keys.card.encoded + (try keys.code(of: circleDigest, in: epoch).bytes) + boxKey
    }

    @Test func `the keys of a device of version 1 do what they did`() throws {
        let file = try Self.golden("sync-keys-1")
        let expected = try Self.golden("sync-keys-1-uses")
        let circle = try #require(SyncHash(expected.prefix(32)))
        let epoch = try #require(SyncHash(expected[32..<64]))
        let enclave = try enclave(file)
        #expect(try Self.uses(of: enclave, in: epoch) == Array(expected.dropFirst(64)))
        let device = try CircleDevice(enclave, owner: LocalControl(enclave, for: .owner), at: CircleSite())
        let made = try device.keys.beginEpoch(for: [device.keys.card], earlier: [epoch], in: circle)
        #expect(made.earlier.map(\.epoch) == [epoch])
    }

    /// Under the same keybag.
    private func makeSyncKeys(in target: String) throws {
        let key = try DeviceKey(file: SecretBytes(Self.golden("device.key")))
        let storage = MemoryStorage(keybag: try Self.golden("keybag-3"))
        let enclave = try LocalEnclave(storage, device: MemoryBinding(key))
        let owner = LocalControl(enclave, for: .administrator)
        try owner.unlock(SecretBytes(Array(Self.passcode.utf8)))
        let device = try CircleDevice(enclave, owner: owner, at: CircleSite())
        try owner.allow(.found, with: try owner.authorize(.synchronize, passcode: nil))
        let nameKey = SecretBytes([UInt8](repeating: 9, count: 32))
        let founded = try Replica.founding(device.keys.card, salt: .random(), nameKey: nameKey, keys: device.keys)
        device.replica = founded.replica
        device.site.post(founded.entries)
        try device.synchronize()
        var replica = try #require(device.replica)
        let epoch = try #require(replica.circle.state.goodEpochs.first?.id)
        let paper = try Stranger(kind: .recovery)
        let consent = try paper.consent(to: replica.circle.id)
        let change = SyncChange.addRecoveryKey(card: paper.card.encoded, consent: consent)
        try owner.allow(change, with: try owner.authorize(.synchronize, passcode: nil))
        _ = try replica.add(paper.card, consent: consent, keys: device.keys)
        try owner.allow(.remove(paper.card.id.bytes), with: try owner.authorize(.synchronize, passcode: nil))
        _ = try replica.remove(paper.card.id, keys: device.keys)
        let file = try #require(try storage.syncKeys())
        for (name, bytes) in [
            ("sync-keys-1", file),
            ("sync-keys-1-uses", replica.circle.id.bytes + epoch.bytes + (try Self.uses(of: enclave, in: epoch))),
        ] {
            try Data(bytes).write(to: URL(fileURLWithPath: target + "/" + name))
        }
    }

    /// Under the keybag of version 3 that is kept, which has to stay.
    private func makePrivateKeys(in target: String) throws {
        let enclave = try enclave()
        for algorithm in EnclaveKeyAlgorithm.allCases {
            let template = EnclaveKeyTemplate(
                algorithm,
                accessGroup: "golden.default",
                accessControl: AccessControl(bare: .whenUnlocked)
            )
            let key = try enclave.makeKey(template, with: .none)
            try Data(key.bytes).write(to: URL(fileURLWithPath: target + "/enclave-key-\(algorithm)"))
        }
    }

    private func makeKeybag(in target: String) throws {
        let key = try DeviceKey(file: SecretBytes(Self.golden("device.key")))
        let storage = MemoryStorage(keybag: try Keybag(creatingUnder: key).file(under: key))
        let enclave = try LocalEnclave(storage, device: MemoryBinding(key))
        let control = LocalControl(enclave, for: .administrator)
        try control.changePasscode(from: nil, to: SecretBytes(Array(Self.passcode.utf8)))
        let settings = LockSettings(locksOnSleep: false, timeout: 300, wipesAfter: 10)
        try control.change(settings, passcode: SecretBytes(Array(Self.passcode.utf8)))
        let itemKey = SymmetricKey(data: [UInt8](repeating: 7, count: 32))
        let box = try #require(try enclave.wrap([UnwrappedItemKey(binding: Self.binding, key: itemKey)]).first)
        let backups = try enclave.backupSigner() + enclave.deviceKey(ofBackup: Self.uuid).withUnsafeBytes { Array($0) }
        for (name, bytes) in [
            ("keybag-3", try storage.keybag()), ("keybag-3-box", box), ("keybag-3-backups", backups),
        ] {
            try Data(bytes).write(to: URL(fileURLWithPath: target + "/" + name))
        }
    }

    @Test func `the database opens with all that it held`() throws {
        let keychain = try keychain()
        let connection = keychain.connection(groups: Self.groups)
        let passwords = try connection.items { $0.returns = [.data, .attributes] }
        #expect(passwords.count == 2)
        let first = try #require(passwords.first)
        #expect(first.value == "golden password")
        for entry in Self.password.entries { #expect(first.attributes[entry.key] == entry.value, "\(entry.key)") }
        #expect(first.attributes["cdat"] == first.attributes["mdat"])
        #expect(first.sha1?.count == 20)
        let second = try #require(passwords.last)
        #expect(second.account == "")
        #expect(second.attributes["acct"] == .data(Array("bob".utf8)))
        #expect(second.attributes["agrp"] == .string("golden.other"))
        #expect(second.attributes["sync"] == .integer(1))
        #expect(second.attributes["pdmn"] == .string("ck"))
        #expect(try connection.find(first.reference)?.value == "golden password")
        #expect(try connection.find(second.reference)?.secrets.isEmpty == true)

        func find(_ itemClass: ItemClass, _ key: AttributeKey, _ value: AttributeValue) throws -> FoundItem? {
            var request = FindRequest(query: ItemQuery(itemClass: itemClass))
            request.query.filters[key] = value
            request.returns = [.data, .attributes]
            return try connection.find(request).first
        }
        let internet = try #require(try find(.internetPassword, "port", .integer(443)))
        #expect(internet.value == "internet")
        #expect(internet.secrets["binn"]?.withUnsafeBytes { Array($0) } == Array("notes".utf8))
        #expect(internet.attributes["srvr"] == .string("example.org"))
        #expect(try find(.certificate, "slnr", .data([1, 2, 3]))?.value == "certificate")
        #expect(try find(.key, "klbl", .data([4, 5, 6]))?.value == "key")
        #expect(try find(.key, "sdat", .date(700_000_000.5))?.value == "key")
        #expect(keychain.log.messages == [])
    }

    @Test func `the database takes new items, changes and deletions`() throws {
        let keychain = try keychain()
        let connection = keychain.connection(groups: Self.groups)
        for request in Self.requests() {
            #expect(failure { () throws(KeychainError) in try connection.add(request) } == .duplicateItem)
        }
        try connection.add("carol")
        #expect(try connection.update("alice", value: "new") == 1)
        #expect(try keychain.connection(groups: Self.groups).all() == ["=", "alice=new", "carol=value"])
        #expect(try connection.delete() == 3)
        #expect(keychain.log.messages == [])
    }

    /// Writes the files to the folder that `CHATELAINE_MAKE_GOLDEN` names: once for each new version of a format.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["CHATELAINE_MAKE_GOLDEN"] != nil, "makes the files anew"))
    func `golden files are made (only where CHATELAINE_MAKE_GOLDEN names a folder)`() throws {
        let target = try #require(ProcessInfo.processInfo.environment["CHATELAINE_MAKE_GOLDEN"])
        try makePrivateKeys(in: target)
        try makeKeybag(in: target)
        try makeSyncKeys(in: target)
        let keychain = try TestKeychain()
        let connection = keychain.connection(groups: Self.groups)
        for request in Self.requests() { _ = try connection.add(request) }
        try keychain.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        for path in [keychain.deviceKey, keychain.keybag, keychain.database] {
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            try Data(keychain.read(path)).write(to: URL(fileURLWithPath: target + "/" + name))
        }
    }
}
