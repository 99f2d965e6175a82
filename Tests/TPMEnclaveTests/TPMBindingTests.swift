import Foundation
import KeychainFiles
import KeychainModel
import TPMEnclave
import Testing

@Suite
struct TPMBindingTests {
    @Test func `a device key that a TPM has sealed is the same one in another process`() throws {
        let tpm = try EmulatedTPM()
        let made = try tpm.binding().makeDeviceKey()
        #expect(try tpm.binding().deviceKey()?.file.array == made.file.array)
        #expect(tpm.binding().kind == .tpm)
    }

    @Test func `where there is no file there is no device key`() throws {
        let tpm = try EmulatedTPM()
        #expect(try tpm.binding().deviceKey() == nil)
    }

    @Test func `the device key's file holds no byte of the key in clear`() throws {
        let tpm = try EmulatedTPM()
        let key = try tpm.binding().makeDeviceKey().file.array.dropFirst(8)
        let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: tpm.surroundings + "/device.key")))
        #expect(!file.contains(bytes: Array(key.prefix(8))))
        #expect(!file.contains(bytes: Array(key.suffix(8))))
    }

    @Test func `the device key does not open with another TPM, which is told from a cleared one`() throws {
        let (tpm, other) = (try EmulatedTPM(), try EmulatedTPM())
        _ = try TPMBinding.made(tpm)
        let stolen = TPMBinding(path: tpm.surroundings + "/device.key", device: other.device())
        #expect(message { try stolen.deviceKey() }.contains("another TPM"))
        try tpm.clear()
        #expect(message { try tpm.binding().deviceKey() }.contains("was cleared"))
    }

    @Test func `a file that is cut or changed anywhere never opens to another key`() throws {
        let tpm = try EmulatedTPM()
        let made = try tpm.binding().makeDeviceKey().file.array
        let path = tpm.surroundings + "/device.key"
        let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        for length in stride(from: 0, to: whole.count, by: 7) {
            try write(Array(whole.prefix(length)), to: path)
            #expect(throws: KeychainError(.notAvailable, "")) { try tpm.binding().deviceKey() }
        }
        // What only says where else to look is not authenticated: the identity (8 to 23) and the endorsement (58 to 91).
        let unprotected = Set(8..<24).union(58..<92)
        for offset in stride(from: 0, to: whole.count, by: 5) {
            var changed = whole
            changed[offset] ^= 0x40
            try write(changed, to: path)
            let opened = try? tpm.binding().deviceKey()
            #expect(opened == nil || opened?.file.array == made)
            #expect(opened == nil || unprotected.contains(offset))
        }
    }

    @Test func `every file that is written is read back as it was`() throws {
        let blob = SealedBlob(publicPart: [1, 2, 3], privatePart: [UInt8](repeating: 9, count: 512))
        for endorsement in [nil, [UInt8](repeating: 7, count: 34)] {
            let sealed = SealedDeviceKey(
                binding: Array(0..<16),
                root: [UInt8](repeating: 5, count: 34),
                endorsement: endorsement,
                blob: blob
            )
            #expect(try SealedDeviceKey(file: sealed.file) == sealed)
        }
    }

    @Test func `a TPM whose owner has set an authorisation is refused, with the reason`() throws {
        let tpm = try EmulatedTPM()
        try tpm.setOwnerAuthorization([1, 2, 3])
        #expect(message { try tpm.binding().makeDeviceKey() }.contains("owner's authorisation"))
    }

    @Test func `many openings leave nothing in a TPM without a resource manager`() throws {
        let tpm = try EmulatedTPM()
        let binding = try TPMBinding.made(tpm)
        _ = try binding.counter().start()
        // There is room for three objects and three sessions.
        for _ in 0..<12 {
            _ = try binding.deviceKey()
            _ = try binding.counter().value()
        }
        #expect(try binding.counter().value() == 1)
    }

    private func message(_ body: () throws -> Any?) -> String {
        do {
            _ = try body()
            return "it worked"
        } catch let error as KeychainError where error.code == .notAvailable {
            return error.message
        } catch {
            return "it failed otherwise: \(error)"
        }
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        try SecureFile.write(SecretBytes(bytes), to: path)
    }
}
