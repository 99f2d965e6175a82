import Crypto
import EnclaveInterface
import Foundation
import KeychainModel
import TPMEnclave
import Testing

/// Somebody has clipped a probe to the wires between processor and TPM.
@Suite
struct EavesdroppingTests {
    @Test func `neither keys nor authorisations pass the bus in clear`() throws {
        let tpm = try EmulatedTPM()
        let binding = tpm.binding()
        let authorization = SecretBytes(randomCount: 32)
        let deviceKey = try binding.makeDeviceKey()
        _ = try binding.counter().start()
        let secret = try binding.passcodes().make(in: 0, authorization: authorization)
        _ = try tpm.binding().deviceKey()
        _ = try tpm.binding().passcodes().secret(in: 0, authorization: authorization)
        try binding.passcodes().remove(0)
        let traffic = tpm.bus.traffic
        let file = try SealedDeviceKey(file: Array(Data(contentsOf: URL(filePath: tpm.surroundings + "/device.key"))))
        let sealed = Array(file.blob.privatePart.dropFirst(2))
        for hidden in [Array(deviceKey.file.array.dropFirst(8)), secret.array, authorization.array, sealed] {
            #expect(!traffic.contains(bytes: Array(hidden.prefix(8))))
            #expect(!traffic.contains(bytes: Array(hidden.suffix(8))))
        }
        // The probe sees something: the handles are not hidden.
        #expect(try traffic.contains(bytes: tpm.firstHandle().bytes))
    }

    @Test func `of a key of the TPM's only the public part passes in clear, and no secret that is agreed on`() throws {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let made = try keys.makeKey()
        let key = try TPMKeyBlob(made.blob)
        let digest = Array(SHA256.hash(data: [1, 2, 3]))
        let signature = try keys.signature(ofDigest: digest, by: made.blob)
        let other = Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation)
        let secret = try keys.sharedSecret(with: other, by: made.blob)
        let traffic = tpm.bus.traffic
        let privatePart = Array(key.privatePart.dropFirst(2))
        for hidden in [key.authorization.array, privatePart, secret.array, digest, Array(other.dropFirst())] {
            #expect(!traffic.contains(bytes: Array(hidden.prefix(8))))
            #expect(!traffic.contains(bytes: Array(hidden.suffix(8))))
        }
        for seen in [Array(made.publicKey[1..<33]), Array(signature.prefix(32)), Array(signature.suffix(32))] {
            #expect(traffic.contains(bytes: seen))
        }
    }

    @Test func `a program that reads without an encrypted session shows both`() throws {
        let tpm = try EmulatedTPM()
        let authorization = SecretBytes([UInt8](repeating: 3, count: 31) + [9])
        let secret = try TPMBinding.made(tpm).passcodes().make(in: 0, authorization: authorization)
        #expect(try tpm.readInClear(tpm.firstHandle(), authorization: authorization.array) == secret.array)
        #expect(tpm.bus.traffic.contains(bytes: secret.array))
        #expect(tpm.bus.traffic.contains(bytes: authorization.array))
    }
}
