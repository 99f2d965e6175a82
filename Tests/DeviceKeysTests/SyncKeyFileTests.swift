import EnclaveInterface
import Foundation
import KeychainDeviceKeys
import KeychainModel
import KeychainSync
import SyncTestSupport
import Testing

@Suite("The file with a device's keys")
struct SyncKeyFileTests {
    private let folder: EnclaveOnDisk
    private let site = CircleSite()
    private let name = SyncHash(of: [1])

    init() throws { folder = try EnclaveOnDisk() }

    private func device(in place: EnclaveOnDisk? = nil) throws -> CircleDevice {
        let enclave = try (place ?? folder).open()
        return try CircleDevice(enclave, owner: enclave.control(isRoot: false), at: site)
    }

    @Test func `keys, members and epochs outlive the process`() throws {
        let before = try device()
        try before.owner.changePasscode(from: nil, to: CircleDevice.passcode)
        try before.found()
        let bob = try CircleDevice(at: site)
        try before.approve(bob)
        let epoch = try #require(before.replica?.circle.state.goodEpochs.first?.id)
        let code = try before.keys.code(of: name, in: epoch)
        let after = try device()
        #expect(after.id == before.id)
        #expect(failure { try after.keys.code(of: name, in: epoch) } == .interactionNotAllowed)
        try after.unlock()
        #expect(try after.keys.code(of: name, in: epoch) == code)
        after.replica = before.replica
        #expect(try !after.keys.wrap([epoch], for: bob.keys.card, in: name).isEmpty)
        _ = try after.signed(.floor(1))
    }

    @Test func `processes of one user see each other's changes`() throws {
        let shared = try EnclaveOnDisk(isShared: true)
        let one = try device(in: shared)
        let other = try device(in: shared)
        #expect(one.id == other.id)
        try one.found()
        other.replica = one.replica
        let secrets = try other.beginEpoch(for: [one.keys.card])
        let epoch = try #require(secrets.wraps.first?.epoch)
        #expect(try one.keys.code(of: name, in: epoch) == other.keys.code(of: name, in: epoch))
        try other.owner.allow(.forget, with: try other.tokenWithoutPasscode())
        #expect(failure { try one.keys.code(of: name, in: epoch) } == .itemNotFound)
        #expect(!FileManager.default.fileExists(atPath: shared.path + "/sync.keys"))
    }

    @Test func `a file with any changed, missing or added byte is refused`() throws {
        try device().found()
        let path = folder.path + "/sync.keys"
        let whole = try Data(contentsOf: URL(filePath: path))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        var places = Set(0..<64)
        places.formUnion(stride(from: 64, to: whole.count, by: 37))
        places.formUnion((whole.count - 33)..<whole.count)
        for place in places.sorted() {
            var changed = whole
            changed[place] ^= 1
            try changed.write(to: URL(filePath: path))
            #expect(failure { try device() } == .notAvailable, "\(place)")
        }
        for file in [Data(), whole.dropLast(), whole + [0], Data(repeating: 0, count: 5 << 20)] {
            try file.write(to: URL(filePath: path))
            #expect(failure { try device() } == .notAvailable, "\(file.count)")
        }
        try whole.write(to: URL(filePath: path))
        _ = try device()
    }

    @Test func `the signing key in it is of no use to programs that use private keys`() throws {
        let alice = try device()
        let file = try Data(contentsOf: URL(filePath: folder.path + "/sync.keys"))
        var reader = try SyncReader(Array(file.dropFirst(24)), atMost: file.count)
        let key = try #require(EnclaveKey(try reader.field(atMost: EnclaveKey.largest)))
        let digest = [UInt8](repeating: 7, count: 32)
        #expect(failure { try alice.enclave.use(key, for: .signature(ofDigest: digest), with: .none) } == .noPermission)
        let template = EnclaveKeyTemplate(accessGroup: "other", accessControl: AccessControl(bare: .afterFirstUnlock))
        let other = try alice.enclave.makeKey(template, with: .none)
        _ = try alice.enclave.use(other, for: .signature(ofDigest: digest), with: .none)
    }

    @Test func `another keychain's file is refused`() throws {
        try device().found()
        let other = try EnclaveOnDisk()
        try FileManager.default.copyItem(atPath: folder.path + "/sync.keys", toPath: other.path + "/sync.keys")
        let enclave = try other.open()
        #expect(failure { try EnclaveDeviceKeys(in: enclave) } == .notAvailable)
    }

    @Test func `keys that were destroyed with the passcode's are told of, and can be forgotten`() throws {
        let alice = try device()
        try alice.owner.changePasscode(from: nil, to: CircleDevice.passcode)
        try alice.owner.change(LockSettings(wipesAfter: 1), passcode: CircleDevice.passcode)
        try alice.found()
        let epoch = try #require(alice.replica?.circle.state.goodEpochs.first?.id)
        _ = failure { try alice.owner.unlock(SecretBytes(Array("wrong".utf8))) }
        #expect(try !alice.owner.state().hasPasscode)
        #expect(failure { try alice.keys.code(of: name, in: epoch) } == .notAvailable)
        try alice.owner.allow(.forget, with: try alice.tokenWithoutPasscode())
        try alice.owner.changePasscode(from: nil, to: CircleDevice.passcode)
        try alice.found()
    }

    @Test func `ceremonies that failed are counted beyond a restart`() throws {
        let alice = try device()
        try alice.owner.changePasscode(from: nil, to: CircleDevice.passcode)
        try alice.found()
        let attacker = try Stranger()
        func request() -> JoinRequest {
            JoinRequest(ceremony: .random(), card: attacker.card, nonce: SyncHash(of: [7]))
        }
        for _ in 0..<3 {
            let request = request()
            _ = try alice.answer(to: request)
            let reveal = JoinReveal(ceremony: request.ceremony, nonce: SyncHash(of: [8]))
            #expect(failure { try alice.enclave.answer(SyncCeremonyRequest(.reveal, reveal.encoded)) } != nil)
        }
        let after = try device()
        after.replica = alice.replica
        try after.unlock()
        #expect(failure { try after.answer(to: request()) } == .authenticationFailed)
    }

    @Test func `the file is written before the answer, or nothing has changed`() throws {
        let alice = try device()
        try alice.found()
        let mine = try #require(alice.replica)
        let bob = try Stranger()
        let consent = try bob.consent(to: mine.circle.id)
        let before = try Data(contentsOf: URL(filePath: folder.path + "/sync.keys"))
        try folder.freeze()
        #expect(failure { try alice.beginEpoch(for: [alice.keys.card]) } != nil)
        #expect(try Data(contentsOf: URL(filePath: folder.path + "/sync.keys")) == before)
        try folder.thaw()
        _ = try alice.beginEpoch(for: [alice.keys.card])
        #expect(
            failure { try alice.signed(.add(Addition(card: bob.card, wraps: [])), consent: consent) } == .noPermission
        )
    }
}
