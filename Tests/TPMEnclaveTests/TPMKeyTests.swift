import Crypto
import Foundation
import KeychainModel
import KeychainTestSupport
import LocalEnclave
import Testing

@testable import TPMEnclave

/// Keys that a TPM makes, and what programs do with them.
@Suite
struct TPMKeyTests {
    private let message = Data("what is signed".utf8)
    private var digest: [UInt8] { Array(SHA256.hash(data: message)) }

    @Test func `a signature of the TPM's is one for swift-crypto and for openssl`() throws {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let key = try keys.makeKey()
        #expect(key.publicKey.count == 65)
        let signature = try keys.signature(ofDigest: digest, by: key.blob)
        #expect(signature.count == 64)
        let publicKey = try P256.Signing.PublicKey(x963Representation: key.publicKey)
        let parsed = try P256.Signing.ECDSASignature(rawRepresentation: signature)
        #expect(publicKey.isValidSignature(parsed, for: message))
        #expect(try isValid(parsed, for: message, by: publicKey, in: tpm))
        #expect(try !isValid(parsed, for: Data("what is not".utf8), by: publicKey, in: tpm))
    }

    private func isValid(
        _ signature: P256.Signing.ECDSASignature,
        for message: Data,
        by key: P256.Signing.PublicKey,
        in tpm: EmulatedTPM
    ) throws -> Bool {
        let folder = URL(filePath: tpm.surroundings)
        try Data(key.pemRepresentation.utf8).write(to: folder.appending(path: "key.pem"))
        try signature.derRepresentation.write(to: folder.appending(path: "signature"))
        let arguments = ["dgst", "-sha256", "-verify", "key.pem", "-signature", "signature"]
        return (try? OpenSSL.run(arguments, in: folder, input: message)) != nil
    }

    @Test func `a secret that is agreed on is the same on both sides, by software and between two keys of TPMs`() throws
    {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let (key, other) = (try keys.makeKey(), P256.KeyAgreement.PrivateKey())
        let theirs = try other.sharedSecretFromKeyAgreement(
            with: P256.KeyAgreement.PublicKey(x963Representation: key.publicKey)
        )
        let ours = try keys.sharedSecret(with: Array(other.publicKey.x963Representation), by: key.blob)
        #expect(ours.array == theirs.withUnsafeBytes { Array($0) })

        let second = try EmulatedTPM()
        let secondKeys = try TPMBinding.made(second).keys()
        let secondKey = try secondKeys.makeKey()
        let there = try keys.sharedSecret(with: secondKey.publicKey, by: key.blob)
        let back = try secondKeys.sharedSecret(with: key.publicKey, by: secondKey.blob)
        #expect(there.array == back.array)
        #expect(there.array != ours.array)
    }

    @Test func `a secret that begins with zeroes has 32 bytes all the same`() throws {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let key = try keys.makeKey()
        let publicKey = try P256.KeyAgreement.PublicKey(x963Representation: key.publicKey)
        while true {
            let other = P256.KeyAgreement.PrivateKey()
            let theirs = try other.sharedSecretFromKeyAgreement(with: publicKey).withUnsafeBytes { Array($0) }
            guard theirs.first == 0 else { continue }
            let ours = try keys.sharedSecret(with: Array(other.publicKey.x963Representation), by: key.blob)
            #expect(ours.array == theirs)
            return
        }
    }

    @Test func `each key is another one, and signs for itself alone`() throws {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let (first, second) = (try keys.makeKey(), try keys.makeKey())
        #expect(first.publicKey != second.publicKey)
        #expect(first.blob.array != second.blob.array)
        let signature = try keys.signature(ofDigest: digest, by: first.blob)
        let parsed = try P256.Signing.ECDSASignature(rawRepresentation: signature)
        #expect(
            try !P256.Signing.PublicKey(x963Representation: second.publicKey).isValidSignature(parsed, for: message)
        )
    }

    @Test func `an authorisation that ends with zeroes, which a TPM drops, works like any other`() throws {
        let tpm = try EmulatedTPM()
        let authorization = SecretBytes([UInt8](repeating: 7, count: 30) + [0, 0])
        let digest = digest
        try tpm.device().withSession { (session, _) throws(TPMFailure) in
            let key = try session.makeKey(authorization: authorization).checked(authorization: authorization)
            let signature = try session.signature(ofDigest: digest, by: key.parts, authorization: authorization)
            _ = try signature.verified(ofDigest: digest, by: key.area.publicKey)
        }
    }

    @Test func `a key works in another process, over another connection, and after a restart of the machine`() throws {
        let tpm = try EmulatedTPM()
        let binding = try TPMBinding.made(tpm)
        let key = try binding.keys().makeKey()
        #expect(try tpm.binding().keys().signature(ofDigest: digest, by: key.blob).count == 64)
        tpm.bus.hangUp()
        // The connection may have been found broken before, or is by this.
        _ = try? binding.keys().signature(ofDigest: digest, by: key.blob)
        #expect(try binding.keys().signature(ofDigest: digest, by: key.blob).count == 64)
        try tpm.restart()
        #expect(try tpm.binding().keys().signature(ofDigest: digest, by: key.blob).count == 64)
        let other = P256.KeyAgreement.PrivateKey().publicKey.x963Representation
        #expect(try tpm.binding().keys().sharedSecret(with: Array(other), by: key.blob).count == 32)
    }

    // MARK: - What is refused before the TPM is asked

    @Test func `a point off the curve, infinity and what is no point are refused before the TPM is asked`() throws {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let key = try keys.makeKey()
        let point = Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation)
        var off = point
        off[64] ^= 1
        let zero = [UInt8](repeating: 0, count: 64)
        var hybrid = point
        hybrid[0] = 6 + (point[64] & 1)
        let compressed: [UInt8] = [2 + (point[64] & 1)] + point[1..<33]
        let all = [UInt8](repeating: 0xFF, count: 64)
        let wrongs: [[UInt8]] = [
            off, [4] + zero, [0] + zero, [0], [], point.dropLast(), point + [0], hybrid, compressed, [4] + all,
        ]
        let before = tpm.bus.count
        for wrong in wrongs {
            #expect(throws: KeychainError(.invalidParameter, "")) { try keys.sharedSecret(with: wrong, by: key.blob) }
        }
        #expect(tpm.bus.count == before)
        #expect(try keys.sharedSecret(with: point, by: key.blob).count == 32)
    }

    @Test(arguments: [0, 1, 20, 31, 33, 48, 64])
    func `a digest of another length is refused before the TPM is asked`(count: Int) throws {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let key = try keys.makeKey()
        let before = tpm.bus.count
        #expect(throws: KeychainError(.invalidParameter, "")) {
            try keys.signature(ofDigest: [UInt8](repeating: 1, count: count), by: key.blob)
        }
        #expect(tpm.bus.count == before)
    }

    // MARK: - Whose key it is

    @Test func `a key of another TPM's is told, by the keychain that is there and by the one that was brought along`()
        throws
    {
        let (tpm, other) = (try EmulatedTPM(), try EmulatedTPM())
        let key = try TPMBinding.made(tpm).keys().makeKey()
        let there = try TPMBinding.made(other).keys()
        for message in complaints(there, key.blob) { #expect(message.contains("another TPM made it")) }
        let stolen = TPMBinding(path: tpm.surroundings + "/device.key", device: other.device())
        for message in complaints(try stolen.keys(), key.blob) { #expect(message.contains("made with another TPM")) }
        #expect(try tpm.binding().keys().signature(ofDigest: digest, by: key.blob).count == 64)
    }

    @Test func `a cleared TPM is told, also to a keychain that has opened before`() throws {
        let tpm = try EmulatedTPM()
        let binding = try TPMBinding.made(tpm)
        let key = try binding.keys().makeKey()
        try tpm.clear()
        for binding in [binding, tpm.binding()] {
            for message in complaints(try binding.keys(), key.blob) { #expect(message.contains("was cleared")) }
            #expect(throws: KeychainError(.notAvailable, "")) { try binding.keys().makeKey() }
        }
    }

    @Test func `where there is no device key, or no TPM, no key is made`() throws {
        let tpm = try EmulatedTPM()
        #expect(throws: KeychainError(.notAvailable, "")) { try tpm.binding().keys().makeKey() }
        _ = try TPMBinding.made(tpm)
        let absent = TPMBinding(path: tpm.surroundings + "/device.key", device: TPMDevice(.socket("/nowhere")))
        let error = #expect(throws: KeychainError.self) { try absent.keys().makeKey() }
        #expect(error?.code == .notAvailable)
        #expect(error?.message.contains("there is no TPM") == true)
    }

    @Test func `what is bound to no TPM has no hardware for keys`() throws {
        #expect(UncountedBinding(inner: MemoryBinding(DeviceKey())).hardwareKeys == nil)
        #expect(MemoryBinding(DeviceKey()).hardwareKeys == nil)
    }

    // MARK: - Altered keys

    @Test func `a key that was altered anywhere signs nothing and agrees on nothing, and is told`() throws {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let whole = try keys.makeKey().blob.array
        for offset in Array(0..<36) + Array(stride(from: 36, to: whole.count, by: 3)) + [whole.count - 1] {
            for bit: UInt8 in [1, 0x80] {
                var changed = whole
                changed[offset] ^= bit
                for message in complaints(keys, SecretBytes(changed)) {
                    #expect(message.contains("altered"), "byte \(offset)")
                }
            }
        }
        #expect(try keys.signature(ofDigest: digest, by: SecretBytes(whole)).count == 64)
        #expect(try tpm.loaded().isEmpty)
    }

    @Test func `parts of two keys make no third`() throws {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let (first, second) = (try TPMKeyBlob(keys.makeKey().blob), try TPMKeyBlob(keys.makeKey().blob))
        for mixed in [
            TPMKeyBlob(authorization: second.authorization, area: first.area, privatePart: first.privatePart),
            TPMKeyBlob(authorization: first.authorization, area: second.area, privatePart: first.privatePart),
            TPMKeyBlob(authorization: first.authorization, area: first.area, privatePart: second.privatePart),
        ] {
            for message in complaints(keys, mixed.bytes) { #expect(message.contains("altered")) }
        }
    }

    @Test func `a wrong authorisation of a key does not count towards a lock-out, and a lock-out stops no key`() throws
    {
        let tpm = try EmulatedTPM()
        try tpm.limitGuesses(tries: 3, interval: 7200)
        let binding = try TPMBinding.made(tpm)
        let (keys, made) = (try binding.keys(), try binding.keys().makeKey())
        let key = try TPMKeyBlob(made.blob)
        for _ in 0..<5 {
            let wrong = TPMKeyBlob(
                authorization: SecretBytes(randomCount: 32),
                area: key.area,
                privatePart: key.privatePart
            )
            for message in complaints(keys, wrong.bytes) { #expect(message.contains("altered")) }
        }
        #expect(try tpm.device().properties().failedTries == 0)
        _ = try binding.passcodes().make(in: 0, authorization: SecretBytes(randomCount: 32))
        for _ in 0..<4 { _ = try? tpm.readInClear(tpm.firstHandle(), authorization: [9]) }
        #expect(try tpm.device().properties().isLockedOut)
        #expect(try keys.signature(ofDigest: digest, by: made.blob).count == 64)
    }

    /// What comes of both uses of a key, both of which have to be refused as not available.
    private func complaints(_ keys: any HardwareKeys, _ blob: SecretBytes) -> [String] {
        let point = Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation)
        return [
            complaint { () throws(KeychainError) in _ = try keys.signature(ofDigest: digest, by: blob) },
            complaint { () throws(KeychainError) in _ = try keys.sharedSecret(with: point, by: blob) },
        ]
    }

    private func complaint(_ body: () throws(KeychainError) -> Void) -> String {
        do throws(KeychainError) {
            try body()
            return "it worked"
        } catch {
            return error.code == .notAvailable ? error.message : "it failed otherwise: \(error)"
        }
    }
}
