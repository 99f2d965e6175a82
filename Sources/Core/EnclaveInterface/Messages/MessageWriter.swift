import CKeychainLinux
import Crypto
import KeychainModel

/// Puts a message together. Numbers are big-endian.
package struct MessageWriter {
    private var bytes: [UInt8] = []

    /// - Parameter keys: how many keys will be in it.
    init(kind: UInt8, id: UInt32, uid: UInt32, keys: Int = 1) {
        // Most messages fit, so that no copy of a key stays in an array that was too small.
        bytes.reserveCapacity(256 + keys * 256)
        append(EnclaveMessage.version)
        append(kind)
        append(UInt16(0))
        append(id)
        append(uid)
    }

    /// - Throws: `dataTooLarge` for more than a message can hold.
    consuming func finish() throws(KeychainError) -> [UInt8] {
        guard bytes.count <= EnclaveMessage.largest else { throw Self.tooLarge }
        return bytes
    }

    /// For messages that always fit.
    consuming func finishSmall() -> [UInt8] { bytes }

    static let tooLarge = KeychainError(.dataTooLarge, "more than a message to the enclave can hold")

    mutating func append(_ number: some FixedWidthInteger & UnsignedInteger) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func append(_ field: [UInt8]) {
        bytes += field
    }

    /// With its length before it, in two bytes.
    mutating func append(short field: [UInt8]) throws(KeychainError) {
        guard let count = UInt16(exactly: field.count) else { throw Self.tooLarge }
        append(count)
        bytes += field
    }

    /// As much of it as may be in a message.
    mutating func append(text: String) {
        let text = Self.prefix(of: text)
        append(UInt16(clamping: text.count))
        bytes += text
    }

    private static func prefix(of text: String) -> [UInt8] {
        var text = text[...]
        while text.utf8.count > EnclaveMessage.largestText { text.removeLast() }
        return Array(text.utf8)
    }

    /// 32 bytes: all keys here are of this size.
    mutating func append(_ key: SymmetricKey) throws(KeychainError) {
        guard key.bitCount == 256 else { throw KeychainError(.internalError, "a key of another size than keys have") }
        unsafe key.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func append(
        _ secret: SecretBytes,
        atMost largest: Int = EnclaveMessage.largestSecret
    ) throws(KeychainError) {
        guard secret.count <= largest else { throw Self.tooLarge }
        append(UInt16(clamping: secret.count))
        // Growing would leave the part that is there behind. A message that is to be signed may stand before it.
        bytes.reserveCapacity(bytes.count + 2 * EnclaveMessage.largestSecret + 256)
        unsafe secret.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func append(optional secret: SecretBytes?) throws(KeychainError) {
        append(UInt8(secret == nil ? 0 : 1))
        if let secret { try append(secret) }
    }

    mutating func append(optional token: AuthorizationToken?) {
        append(UInt8(token == nil ? 0 : 1))
        if let token { append(token.bytes) }
    }

    mutating func append(_ binding: ItemBinding) throws(KeychainError) {
        guard binding.version.count == 16, ItemClass.stored.contains(binding.itemClass) else {
            throw KeychainError(.undecodable, "a row is not as it was sealed")
        }
        bytes += binding.itemClass.rawValue.utf8
        append(binding.accessibility)
        append((binding.isSynchronizable ? 1 : 0) | (binding.isTombstone ? 2 : 0) as UInt8)
        bytes += binding.uuid.bytes
        bytes += binding.version
        try append(short: Array(binding.accessGroup.utf8))
        try append(short: binding.accessControl)
    }

    mutating func append(_ keys: [WrappedItemKey]) throws(KeychainError) {
        append(UInt16(clamping: keys.count))
        for key in keys {
            try append(key.binding)
            try append(short: key.box)
        }
    }

    mutating func append(_ credentials: ItemCredentials) throws(KeychainError) {
        guard credentials.proofs.count <= ItemCredentials.mostProofs else { throw Self.tooLarge }
        try append(optional: credentials.applicationPassword?.bytes)
        append(UInt8(clamping: credentials.proofs.count))
        for proof in credentials.proofs { append(proof.bytes) }
    }

    mutating func append(_ settings: LockSettings) {
        append((settings.locksOnSleep ? 1 : 0) as UInt8)
        append(settings.timeout ?? .max)
        append(settings.wipesAfter ?? .max)
    }

    mutating func append(_ state: EnclaveState) {
        bytes += state.keychain.bytes
        bytes += state.keybag.bytes
        append(state.generation)
        append(state.epoch)
        append(state.lock.rawValue)
        append(state.binding.rawValue)
        var flags: UInt8 = state.hasPasscode ? 1 : 0
        if state.isRotating { flags |= 2 }
        if state.isPasscodeConfirmed { flags |= 4 }
        if state.keepsProgramsApart { flags |= 8 }
        append(flags)
        append(state.settings)
    }
}

/// Overwrites what was a message: all of it, or so many bytes. No slice of it may be left.
package func wipe(_ bytes: inout [UInt8], _ count: Int? = nil) {
    unsafe bytes.withUnsafeMutableBytes { buffer in
        if let base = buffer.baseAddress { unsafe clinux_zero(base, min(count ?? buffer.count, buffer.count)) }
    }
}
