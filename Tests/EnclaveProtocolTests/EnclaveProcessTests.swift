import Crypto
import Foundation
import KeychainCertificates
import KeychainModel
import KeychainTestSupport
import Testing

@testable import EnclaveClient
@testable import EnclaveInterface
@testable import LocalEnclave

/// The enclave's process, looked at and into from outside.
@Suite(.serialized, .enabled(if: geteuid() == 0, "only root can start the enclave's process"))
struct EnclaveProcessTests {
    private let uid: UInt32 = 1000

    @Test
    func `it has given up all rights before it answers`() throws {
        let process = try EnclaveProcess()
        let folder = RemoteEnclaveFolder(process.connection(), uid: uid)
        try folder.create()
        #expect(process.status("Uid") == Array(repeating: "\(EnclaveProcess.user)", count: 4).joined(separator: "\t"))
        #expect(process.status("CapPrm") == "0000000000000000")
        #expect(process.status("CapBnd") == "0000000000000000")
        #expect(process.status("NoNewPrivs") == "1")
        #expect(process.status("Seccomp") == "2")
        #expect(process.status("Threads") == "3")
        // What cannot be dumped belongs to root.
        var status = stat()
        stat("/proc/\(process.identifier)/mem", &status)
        #expect(status.st_uid == 0)
    }

    /// On one processor, a thread of this kind runs until it has to wait; those that it starts begin no sooner.
    private static let startsThreadsLate = ["chrt", "-f", "1", "taskset", "-c", "0"]

    @Test(.enabled(if: Machine.succeeds(startsThreadsLate + ["true"]), "needs chrt and the right to use it"))
    func `system calls are filtered no sooner than its threads have begun (needs chrt)`() throws {
        // The C library ends a process one of whose threads cannot say that it begins (rseq).
        let process = try EnclaveProcess(wrapper: Self.startsThreadsLate)
        defer { withExtendedLifetime(process) {} }
        let folder = RemoteEnclaveFolder(process.connection(), uid: uid)
        try folder.create()
        #expect(try folder.presence() == .complete)
    }

    @Test
    func `neither class keys nor item keys nor a passcode are in its memory, unlocked or locked`() throws {
        let process = try EnclaveProcess()
        let folder = RemoteEnclaveFolder(process.connection(), uid: uid)
        try folder.create()
        let enclave = try folder.open()
        let passcode = "PASSCODE-\(UUID().uuidString)"
        let owner = try RemoteEnclaveControl(connectingTo: process.controlPath, uid: uid)
        try owner.changePasscode(from: nil, to: SecretBytes(Array(passcode.utf8)))
        let key = UnwrappedItemKey(binding: .sample(), key: SymmetricKey(size: .bits256))
        let box = try #require(try enclave.wrap([key]).first)
        let opened = try enclave.unwrap([WrappedItemKey(binding: key.binding, box: box)])
        #expect(try opened.first?.get() == key.key)
        var needles: [String: [UInt8]] = [
            "passcode": Array(passcode.utf8), "item key": key.key.withUnsafeBytes { Array($0) },
            // The control: something that the process has for as long as it lives.
            "folder": Array(process.directory.utf8),
        ]
        for (accessibility, keys) in try enclave.serviceKeys().metadata {
            for (index, key) in keys.enumerated() {
                needles["\(accessibility) \(index)"] = key.withUnsafeBytes { Array($0) }
            }
        }
        #expect(process.memoryContains(needles) == ["folder"])
        try owner.lock()
        #expect(process.memoryContains(needles) == ["folder"])
        try owner.unlock(SecretBytes(Array(passcode.utf8)))
        try owner.lock()
        #expect(process.memoryContains(needles) == ["folder"])
    }

    @Test
    func `without secret memory its keys are locked in memory, without passcodes and item keys beside them`() throws {
        let process = try EnclaveProcess(wrapper: SeenKernel.older.wrapper)
        let folder = RemoteEnclaveFolder(process.connection(), uid: uid)
        try folder.create()
        let enclave = try folder.open()
        let passcode = "PASSCODE-\(UUID().uuidString)"
        let owner = try RemoteEnclaveControl(connectingTo: process.controlPath, uid: uid)
        try owner.changePasscode(from: nil, to: SecretBytes(Array(passcode.utf8)))
        let key = UnwrappedItemKey(binding: .sample(), key: SymmetricKey(size: .bits256))
        _ = try enclave.wrap([key])
        let secrets: [String: [UInt8]] = [
            "passcode": Array(passcode.utf8), "item key": key.key.withUnsafeBytes { Array($0) },
            "folder": Array(process.directory.utf8),
        ]
        let locked: [UInt8]
        do {
            let keys = try #require(try enclave.serviceKeys().metadata[.whenUnlocked])
            locked = try #require(keys.first).withUnsafeBytes { Array($0) }
        }
        #expect(process.status("VmLck").map { $0.hasPrefix("1024 ") } == true)
        #expect(process.memoryContains(["locked": locked]) == ["locked"], "root can read locked memory")
        #expect(process.memoryContains(secrets) == ["folder"])
        try owner.lock()
        // Of a class that is locked, not even root finds a key.
        #expect(process.memoryContains(secrets.merging(["locked": locked]) { $1 }) == ["folder"])
    }

    @Test
    func `a private key is neither in its memory, used or not, nor in a file, nor in what it sends`() throws {
        let process = try EnclaveProcess()
        let folder = RemoteEnclaveFolder(process.connection(), uid: uid)
        try folder.create()
        let enclave = try folder.open()
        let control = AccessControl(bare: .whenUnlocked)
        let key = try enclave.makeKey(EnclaveKeyTemplate(accessGroup: "TEAM.a", accessControl: control), with: .none)
        let digest = Array(SHA256.hash(data: [1]))
        let signature = try enclave.use(key, for: .signature(ofDigest: digest), with: .none)
        let other = P256.KeyAgreement.PrivateKey()
        let point = Array(other.publicKey.x963Representation)
        let shared = try enclave.use(key, for: .sharedSecret(with: point), with: .none)
        // Whoever is root and has all files of the machine has the key: so the test knows what to look for.
        let files = LocalEnclaveFolder(path: try process.copyOfFiles(of: uid))
        let (number, ownKey) = try files.openLocal().uncheckedNumber(of: key)
        let again = try P256.Signing.PrivateKey(rawRepresentation: number)
        #expect(Array(again.publicKey.x963Representation) == key.publicKey.externalRepresentation)
        let needles: [String: [UInt8]] = [
            "private key": number, "its own key": ownKey,
            "shared secret": unsafe shared.withUnsafeBytes { unsafe Array($0) },
            "folder": Array(process.directory.utf8),
        ]
        #expect(process.memoryContains(needles) == ["folder"])
        let sent = Data(key.bytes) + Data(unsafe signature.withUnsafeBytes { unsafe Array($0) })
        let stored = try FileManager.default.subpathsOfDirectory(atPath: process.directory)
            .compactMap { FileManager.default.contents(atPath: process.directory + "/" + $0) }
        #expect(stored.count > 1)
        for bytes in stored + [sent] {
            #expect(!bytes.contains(bytes: number) && !bytes.contains(bytes: ownKey))
        }
    }

    @Test(arguments: [EnclaveKeyAlgorithm.mldsa65, .mldsa87, .mlkem768, .mlkem1024])
    func `a seed is neither in its memory, used or not, nor in a file, nor in what it sends`(
        algorithm: EnclaveKeyAlgorithm
    ) throws {
        let process = try EnclaveProcess()
        let folder = RemoteEnclaveFolder(process.connection(), uid: uid)
        try folder.create()
        let enclave = try folder.open()
        let control = AccessControl(bare: .whenUnlocked)
        let template = EnclaveKeyTemplate(algorithm, accessGroup: "TEAM.a", accessControl: control)
        let key = try enclave.makeKey(template, with: .none)
        var needles: [String: [UInt8]] = ["folder": Array(process.directory.utf8)]
        if let size = algorithm.ciphertextSize {
            let ciphertext = [UInt8](repeating: 1, count: size)
            let secret = try enclave.use(key, for: .decapsulation(of: ciphertext), with: .none)
            needles["shared secret"] = unsafe secret.withUnsafeBytes { unsafe Array($0) }
        } else {
            _ = try enclave.use(key, for: .messageSignature(of: [1], context: []), with: .none)
        }
        let files = LocalEnclaveFolder(path: try process.copyOfFiles(of: uid))
        let (seed, ownKey) = try files.openLocal().uncheckedNumber(of: key)
        #expect(seed.count == (algorithm.ciphertextSize == nil ? 32 : 64))
        needles["first half"] = Array(seed.prefix(32))
        needles["second half"] = Array(seed.suffix(32))
        needles["its own key"] = ownKey
        #expect(process.memoryContains(needles) == ["folder"])
        let stored = try FileManager.default.subpathsOfDirectory(atPath: process.directory)
            .compactMap { FileManager.default.contents(atPath: process.directory + "/" + $0) }
        #expect(stored.count > 1)
        for bytes in stored + [Data(key.bytes)] {
            #expect(!bytes.contains(bytes: seed.prefix(32)) && !bytes.contains(bytes: ownKey))
        }
    }

    @Test
    func `a key's use whose enclave is killed in the middle is an error, and the next one works`() throws {
        for _ in 0..<5 {
            let process = try EnclaveProcess()
            let folder = RemoteEnclaveFolder(process.connection(), uid: uid)
            try folder.create()
            let enclave = try folder.open()
            let control = AccessControl(bare: .whenUnlocked)
            let template = EnclaveKeyTemplate(accessGroup: "TEAM.a", accessControl: control)
            let key = try enclave.makeKey(template, with: .none)
            let digest = Array(SHA256.hash(data: [1]))
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int.random(in: 0..<30))) {
                kill(process.identifier, SIGKILL)
            }
            var failure: KeychainError?
            for _ in 0..<1_000_000 {
                do throws(KeychainError) {
                    _ = try enclave.use(key, for: .signature(ofDigest: digest), with: .none)
                } catch {
                    failure = error
                    break
                }
            }
            #expect(failure == KeychainError(.notAvailable, ""))
            // Nothing of it was lost.
            let files = LocalEnclaveFolder(path: try process.copyOfFiles(of: uid))
            let signature = try files.openLocal().use(key, for: .signature(ofDigest: digest), with: .none)
            #expect(signature.count == 64)
        }
    }

    @Test
    func `a service whose enclave is killed gets errors, and no answer that is none`() throws {
        let process = try EnclaveProcess()
        let folder = RemoteEnclaveFolder(process.connection(), uid: uid)
        try folder.create()
        let enclave = try folder.open()
        let key = UnwrappedItemKey(binding: .sample(), key: SymmetricKey(size: .bits256))
        let box = try #require(try enclave.wrap([key]).first)
        let wrapped = WrappedItemKey(binding: key.binding, box: box)
        let threads = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: threads) {
                // Right answers until it ends, and errors after that.
                while let answer = try? enclave.unwrap([wrapped]) { #expect(answer.first == .success(key.key)) }
            }
        }
        usleep(50_000)
        kill(process.identifier, SIGKILL)
        threads.wait()
        #expect(throws: KeychainError(.notAvailable, "")) { try enclave.serviceKeys() }
    }
}

extension EnclaveProcess {
    /// A user's files, for whoever is root.
    fileprivate func copyOfFiles(of uid: UInt32) throws -> String {
        let copy = folder + "/copy-\(UUID().uuidString)"
        try FileManager.default.copyItem(atPath: directory + "/users/\(uid)", toPath: copy)
        chown(copy, 0, 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: copy) { chown(copy + "/" + name, 0, 0) }
        return copy
    }
}

extension LocalEnclave {
    /// What nobody gets: the private number of a key that demands nothing, and the key that it is under.
    fileprivate func uncheckedNumber(of key: EnclaveKey) throws -> (number: [UInt8], ownKey: [UInt8]) {
        let data = AssociatedData(ItemBinding(key.header), keychain: key.header.keychain)
        let trailer = [key.kind.rawValue] + key.publicKey.externalRepresentation
        let wrapping = try locking.withState { (state) throws(KeychainError) in
            state.keys.privateKeys[key.header.accessibility.thisDeviceOnly]?.key
        }
        let box = Cipher.openSecret(
            key.box,
            under: try #require(wrapping),
            authenticating: data.bytes(for: .enclaveKey, trailer: trailer)
        )
        let ownKey = try #require(box)
        let number = Cipher.openSecret(
            key.content,
            under: ownKey.symmetricKey(),
            authenticating: data.bytes(for: .enclaveKeyContent, trailer: trailer)
        )
        let secret = try #require(number)
        return unsafe (secret.withUnsafeBytes { unsafe Array($0) }, ownKey.withUnsafeBytes { unsafe Array($0) })
    }
}
