import CKeychainLinux
import Crypto
import EnclaveInterface
import KeychainModel

/// What processes share of an unlocked keychain.
///
/// The time of the last use (8), `CHun`, the version 2, three zero bytes, the UUID of the keybag (16), the lock state (1),
/// the key that the passcode opens (1 and 32, zero for none), the number of class keys (1), of each its class (1), the
/// generation it was made in (8), and its two halves (32 and 32), the number of keys of private keys (1), of each its class
/// (1) and it (32); HMAC-SHA-256 of all after the first eight bytes.
struct UnlockedContents {
    let lastUse: UInt64
    let lock: EnclaveState.Lock
    let passcodeKey: SymmetricKey?
    let classes: [(accessibility: Accessibility, madeIn: UInt64, metadata: SymmetricKey, wrapping: SymmetricKey)]
    let privateKeys: [(accessibility: Accessibility, key: SymmetricKey)]

    private static let header: [UInt8] = Array("CHun".utf8) + [2, 0, 0, 0]

    init(lastUse: UInt64, lock: EnclaveState.Lock, keys: EnclaveKeys) {
        self.lastUse = lastUse
        self.lock = lock
        passcodeKey = keys.passcodeKey
        classes = keys.classes.flatMap { accessibility, held in
            held.compactMap { key in
                guard let metadata = key.metadata.key, let wrapping = key.wrapping.key else { return nil }
                return (accessibility, key.madeIn, metadata, wrapping)
            }
        }
        privateKeys = keys.privateKeys.compactMap { accessibility, held in held.key.map { (accessibility, $0) } }
    }

    func file(keybag: ItemUUID, code: SymmetricKey) -> SecretBytes {
        var body = Self.header + keybag.bytes + [lock.rawValue, passcodeKey == nil ? 0 : 1]
        body.reserveCapacity(4_096)
        Self.append(passcodeKey, to: &body)
        body.append(UInt8(truncatingIfNeeded: classes.count))
        for key in classes {
            body += [key.accessibility.code] + key.madeIn.bigEndianBytes
            Self.append(key.metadata, to: &body)
            Self.append(key.wrapping, to: &body)
        }
        body.append(UInt8(truncatingIfNeeded: privateKeys.count))
        for (accessibility, key) in privateKeys {
            body.append(accessibility.code)
            Self.append(key, to: &body)
        }
        let authentication = Array(HMAC<SHA256>.authenticationCode(for: body, using: code))
        let contents = unsafe SecretBytes(count: 8 + body.count + authentication.count) { target in
            unsafe target.copyBytes(from: lastUse.bigEndianBytes + body + authentication)
        }
        unsafe body.withUnsafeMutableBytes { bytes in
            if let address = bytes.baseAddress { unsafe clinux_zero(address, bytes.count) }
        }
        return contents
    }

    private static func append(_ key: SymmetricKey?, to bytes: inout [UInt8]) {
        guard let key else {
            bytes += [UInt8](repeating: 0, count: 32)
            return
        }
        unsafe key.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }

    /// Nil for anything that no process with the device key has written for this keybag.
    init?(_ file: SecretBytes, keybag: ItemUUID, code: SymmetricKey) {
        var bytes = unsafe file.withUnsafeBytes { unsafe Array($0) }
        defer {
            unsafe bytes.withUnsafeMutableBytes { bytes in
                if let address = bytes.baseAddress { unsafe clinux_zero(address, bytes.count) }
            }
        }
        let body = bytes.dropFirst(8).dropLast(32)
        guard bytes.count > 40, body.starts(with: Self.header + keybag.bytes),
            HMAC<SHA256>.isValidAuthenticationCode(Array(bytes.suffix(32)), authenticating: body, using: code)
        else { return nil }
        var time = FieldReader(bytes.prefix(8))
        var reader = FieldReader(body.dropFirst(Self.header.count + 16))
        do throws(KeychainError) {
            lastUse = try time.number(8)
            guard let lock = EnclaveState.Lock(rawValue: try reader.byte()) else { return nil }
            self.lock = lock
            let hasKey = try reader.flag()
            let key = SymmetricKey(data: try reader.bytes(32))
            passcodeKey = hasKey ? key : nil
            classes = try reader.entries { (reader) throws(KeychainError) in
                guard let accessibility = Accessibility(code: try reader.byte()) else { throw Keybag.damaged }
                return (
                    accessibility, try reader.number(8), SymmetricKey(data: try reader.bytes(32)),
                    SymmetricKey(data: try reader.bytes(32))
                )
            }
            privateKeys = try reader.entries { (reader) throws(KeychainError) in
                guard let accessibility = Accessibility(code: try reader.byte()), accessibility.isThisDeviceOnly else {
                    throw Keybag.damaged
                }
                return (accessibility, SymmetricKey(data: try reader.bytes(32)))
            }
        } catch {
            return nil
        }
    }
}
