import Crypto
import Foundation
import FuzzSupport

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import KeychainEngine
@testable import KeychainModel
@testable import KeychainStore
@testable import KeychainVault
@testable import LocalEnclave
@testable import TPMEnclave

/// The files beside the database, and the database's header. The first byte of an input chooses:
/// a keybag as it is, a keybag that is authenticated first, a device key of the first version, the content of a header, a
/// count of wrong passcodes, what processes share of an unlocked keychain (these two are authenticated first), a device key
/// of any version that stands in its file, one that a TPM has sealed, a key that a TPM keeps, or what stands for a private key.
///
/// What is taken is written as it was read; all else is refused as not available, and as nothing else.
@main
enum FuzzKeybag: FuzzTarget {
    static func run(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        let kind = source.byte() % 10
        let contents = source.rest()
        do {
            switch kind {
            case 0: try read(keybag: contents)
            case 1: try read(keybag: authenticated(contents))
            case 2: try read(deviceKey: contents)
            case 3: try check(header: contents)
            case 4: read(attempts: contents)
            case 5: read(unlocked: contents)
            case 6: try read(deviceKeyFile: contents)
            case 7: try read(sealedDeviceKey: contents)
            case 8: try read(tpmKey: contents)
            default: read(enclaveKey: contents)
            }
        } catch let error as KeychainError {
            require(error.code == .notAvailable, "a file that is refused makes the keychain unavailable")
        }
    }

    private static let deviceKey: DeviceKey = {
        let file = Array("CHdk".utf8) + [1, 0, 0, 0] + [UInt8](repeating: 7, count: 32)
        guard let key = try? DeviceKey(file: SecretBytes(file)) else { preconditionFailure("no device key") }
        return key
    }()

    /// The vault of a keybag that is there, and not the fuzzer's.
    private static let own: (keybag: Keybag, vault: KeychainVault) = {
        guard let keybag = try? Keybag(creatingUnder: deviceKey),
            let enclave = try? LocalEnclave(keybag, under: deviceKey),
            let vault = try? KeychainVault(enclave)
        else { preconditionFailure("no keybag") }
        return (keybag, vault)
    }()

    private static func read(keybag contents: [UInt8]) throws {
        let keybag = try Keybag(file: contents, under: deviceKey)
        // An older version is written as the newest.
        if contents.count > 4, contents[4] == Keybag.version {
            require(keybag.file(under: deviceKey) == contents, "a keybag that is taken is written as it was read")
        }
        _ = try keybag.unwrapAll(with: Keybag.WrappingKeys(deviceKey.key, keybag: keybag.uuid))
    }

    /// The contents with the code that the holder of the device key would give them.
    private static func authenticated(_ contents: [UInt8]) -> [UInt8] {
        let body = Array(contents.dropLast(32))
        guard body.count >= 40, let uuid = ItemUUID(body[24..<40]) else { return contents }
        return body + Keybag.authenticationCode(of: body, under: deviceKey, uuid: uuid)
    }

    private static func read(deviceKey contents: [UInt8]) throws {
        let key = try DeviceKey(file: SecretBytes(contents))
        require(key.file.withUnsafeBytes { Array($0) } == contents, "a device key is written as it was read")
    }

    private static func read(deviceKeyFile contents: [UInt8]) throws {
        let file = try DeviceKeyFile(file: SecretBytes(contents))
        require(
            file.contents.withUnsafeBytes { Array($0) } == contents,
            "a device key's file is written as it was read"
        )
        let isForAny = contents.count == DeviceKey.fileSize
        require(file.isFor(nil) == isForAny, "only what names no machine is for a machine without a name")
        let genuine = DeviceKeyFile(file.key, for: machine).contents.withUnsafeBytes { Array($0) }
        require(
            file.isFor(machine) == (isForAny || contents == genuine),
            "a file is for the machine that it was made for"
        )
    }

    private static let machine = MachineIdentity([UInt8](repeating: 5, count: 16))

    private static func read(sealedDeviceKey contents: [UInt8]) throws {
        let file = try SealedDeviceKey(file: contents)
        require(file.file == contents, "a sealed device key is written as it was read")
        require(contents.count <= SealedDeviceKey.largestFile, "a sealed device key is no larger than it may be")
    }

    private static func read(tpmKey contents: [UInt8]) throws {
        let key = try TPMKeyBlob(SecretBytes(contents))
        require(key.bytes.withUnsafeBytes { Array($0) } == contents, "a key of a TPM's is written as it was read")
        require(key.area.publicKey.x963Representation.count == 65, "a key of a TPM's has a point of the curve")
    }

    /// The UUID of the keychain is the fuzzer's own, so that its enclave looks further.
    private static func read(enclaveKey contents: [UInt8]) {
        var bytes = contents
        if bytes.count >= 24 { bytes.replaceSubrange(8..<24, with: own.keybag.uuid.bytes) }
        guard let key = EnclaveKey(bytes) else { return }
        require(key.bytes == bytes, "what stands for a private key is written as it was read")
        let use: KeyUse =
            switch key.kind.algorithm {
            case .p256: .signature(ofDigest: [UInt8](repeating: 0, count: KeyUse.digestSize))
            case .mldsa65, .mldsa87: .messageSignature(of: [0], context: [])
            case .mlkem768, .mlkem1024:
                .decapsulation(of: [UInt8](repeating: 0, count: key.kind.algorithm.ciphertextSize ?? 0))
            }
        let result = try? own.vault.enclave.use(key, for: use, with: .none)
        require(result == nil, "a private key that the enclave has not sealed does nothing")
    }

    private static func check(header content: [UInt8]) throws {
        let genuine = Header(sealedBy: own.vault)
        try Header(content: content, code: own.vault.headerCode(for: content)).check(against: own.vault)
        let before = Array(genuine.content.dropLast()) + [0]
        require(content == genuine.content || content == before, "a header is of this keybag or of the one before")
    }

    /// Whatever it is, it is a count, and one that is no file of ours makes people wait.
    private static func read(attempts contents: [UInt8]) {
        let clock = StartClock(start: [UInt8](repeating: 1, count: 16), now: 1_000_000_000_000)
        let code = Array(HMAC<SHA256>.authenticationCode(for: contents, using: deviceKey.key))
        let attempts = Attempts(file: contents + code, code: deviceKey.key, at: clock)
        let isOurs = contents.count + code.count == Attempts.fileSize && contents.starts(with: Array("CHat".utf8))
        let waiting = attempts.remaining(at: clock, hardware: nil)
        require(waiting <= 3_600, "nobody waits for longer than an hour")
        require(isOurs || waiting == 3_600, "what is no count counts as many")
    }

    /// The contents with the UUID of the fuzzer's keybag, which differs each time.
    private static func read(unlocked contents: [UInt8]) {
        let uuid = 16..<32
        guard contents.count >= uuid.upperBound else { return }
        let contents = Array(contents[..<uuid.lowerBound] + own.keybag.uuid.bytes + contents[uuid.upperBound...])
        let code = Array(HMAC<SHA256>.authenticationCode(for: contents.dropFirst(8), using: deviceKey.key))
        _ = UnlockedContents(SecretBytes(contents + code), keybag: own.keybag.uuid, code: deviceKey.key)
    }

    static func seeds() throws -> [String: [UInt8]] {
        let file = try Keybag(creatingUnder: deviceKey).file(under: deviceKey)
        var keys = EnclaveKeys(arena: HeapArena(), keychain: own.keybag.keychain)
        for named in try own.keybag.unwrapAll(with: Keybag.WrappingKeys(deviceKey.key, keybag: own.keybag.uuid)) {
            try keys.insert(named)
        }
        let unlocked = UnlockedContents(lastUse: 1, lock: .unlocked, keys: keys)
            .file(keybag: own.keybag.uuid, code: deviceKey.key)
        let sealed = SealedDeviceKey(
            binding: [UInt8](repeating: 1, count: 16),
            root: [UInt8](repeating: 2, count: 34),
            endorsement: [UInt8](repeating: 3, count: 34),
            blob: SealedBlob(publicPart: [4, 5], privatePart: [6])
        )
        // The curve's own point as a TPM writes it, so that the seed is the same each time.
        let coordinates: [UInt8] = [
            0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2,
            0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96,
            0x00, 0x20, 0x4F, 0xE3, 0x42, 0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F,
            0x9E, 0x16, 0x2B, 0xCE, 0x33, 0x57, 0x6B, 0x31, 0x5E, 0xCE, 0xCB, 0xB6, 0x40, 0x68, 0x37, 0xBF,
            0x51, 0xF5,
        ]
        let area: [UInt8] =
            [0, 86, 0, 0x23, 0, 0x0B, 0, 6, 4, 0x72, 0, 0, 0, 0x10, 0, 0x10, 0, 3, 0, 0x10, 0, 0x20] + coordinates
        // A TPM writes sizes before the coordinates. Nobody has sealed the key.
        let point = [4] + coordinates[..<32] + coordinates[34...]
        var enclaveKey: [UInt8] = Array("CHek".utf8) + [1, 1, 0, 0] + [UInt8](repeating: 9, count: 48) + [1, 0, 0]
        for field in [Array("group".utf8), point, [UInt8](repeating: 3, count: 60), [UInt8](repeating: 4, count: 60)] {
            enclaveKey += [0, UInt8(field.count)] + field
        }
        func quantumKey(_ kind: UInt8, _ size: Int) -> [UInt8] {
            let count = [UInt8(truncatingIfNeeded: size >> 8), UInt8(truncatingIfNeeded: size)]
            var key = Array(enclaveKey.prefix(59))
            key[5] = kind
            key += [0, 5] + Array("group".utf8) + count + [UInt8](repeating: 5, count: size)
            return key + [0, 60] + [UInt8](repeating: 3, count: 60) + [0, 60] + [UInt8](repeating: 4, count: 60)
        }
        return [
            "enclave-key-mldsa87": [9] + quantumKey(4, 2_592), "enclave-key-mlkem768": [9] + quantumKey(5, 1_184),
            "enclave-key": [9] + enclaveKey,
            "tpm-key": [8, 1] + [UInt8](repeating: 7, count: 32) + area + [0, 3, 1, 2, 3],
            "keybag": [0] + file, "keybag-authenticated": [1] + file,
            "device-key": [2] + deviceKey.file.withUnsafeBytes { Array($0) },
            "attempts": [4]
                + Attempts(count: 5, armed: 1).file(code: deviceKey.key, at: .current).dropLast(32),
            "unlocked": [5] + unlocked.withUnsafeBytes { Array($0.dropLast(32)) },
            "device-key-file": [6] + DeviceKeyFile(deviceKey, for: machine).contents.withUnsafeBytes { Array($0) },
            "device-key-sealed": [7] + sealed.file,
            "header": [3] + Header(sealedBy: own.vault).content,
        ]
    }
}
