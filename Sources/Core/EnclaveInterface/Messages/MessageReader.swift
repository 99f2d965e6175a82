import Crypto
package import KeychainModel

/// Parses a message. Any deviation from the format is refused.
package struct MessageReader {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: some Collection<UInt8>) throws(KeychainError) {
        guard bytes.count <= EnclaveMessage.largest else { throw Self.malformed }
        rest = (bytes as? ArraySlice<UInt8>) ?? Array(bytes)[...]
    }

    package static let malformed = KeychainError(.invalidParameter, "what came is no message to or from the enclave")

    package mutating func header() throws(KeychainError) -> EnclaveMessage.Header {
        guard try byte() == EnclaveMessage.version else { throw Self.malformed }
        let kind = try byte()
        guard try number() as UInt16 == 0 else { throw Self.malformed }
        return EnclaveMessage.Header(kind: kind, id: try number(), uid: try number())
    }

    /// - Throws: where anything is left.
    package func finish() throws(KeychainError) {
        guard rest.isEmpty else { throw Self.malformed }
    }

    mutating func take(_ count: Int) throws(KeychainError) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw Self.malformed }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func byte() throws(KeychainError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw Self.malformed }
        return byte
    }

    mutating func number<Number: FixedWidthInteger & UnsignedInteger>() throws(KeychainError) -> Number {
        try take(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number($1) }
    }

    mutating func short() throws(KeychainError) -> [UInt8] {
        Array(try take(Int(try number() as UInt16)))
    }

    mutating func text() throws(KeychainError) -> String {
        let count = Int(try number() as UInt16)
        guard count <= EnclaveMessage.largestText,
            let text = String(validating: try take(count), as: UTF8.self)
        else { throw Self.malformed }
        return text
    }

    /// A number of elements, and the elements.
    mutating func list<Element>(
        _ element: (inout MessageReader) throws(KeychainError) -> Element
    ) throws(KeychainError) -> [Element] {
        let count = Int(try number() as UInt16)
        guard count <= EnclaveMessage.mostKeys else { throw Self.malformed }
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try element(&self)) }
        return elements
    }

    mutating func key() throws(KeychainError) -> SymmetricKey {
        SymmetricKey(data: try take(32))
    }

    mutating func uuid() throws(KeychainError) -> ItemUUID {
        guard let uuid = ItemUUID(try take(16)) else { throw Self.malformed }
        return uuid
    }

    mutating func token() throws(KeychainError) -> AuthorizationToken {
        guard let token = AuthorizationToken(try take(AuthorizationToken.size)) else { throw Self.malformed }
        return token
    }

    mutating func optionalToken() throws(KeychainError) -> AuthorizationToken? {
        try flags(1) == 0 ? nil : token()
    }

    mutating func operation() throws(KeychainError) -> GuardedOperation {
        guard let operation = GuardedOperation(rawValue: try byte()) else { throw Self.malformed }
        return operation
    }

    mutating func secret(atMost largest: Int = EnclaveMessage.largestSecret) throws(KeychainError) -> SecretBytes {
        let count = Int(try number() as UInt16)
        guard count <= largest else { throw Self.malformed }
        return SecretBytes(try take(count))
    }

    mutating func optionalSecret() throws(KeychainError) -> SecretBytes? {
        try flags(1) == 0 ? nil : secret()
    }

    mutating func credentials() throws(KeychainError) -> ItemCredentials {
        let password: ApplicationPassword?
        if let secret = try optionalSecret() { password = try ApplicationPassword(secret) } else { password = nil }
        let count = Int(try byte())
        guard count <= ItemCredentials.mostProofs else { throw Self.malformed }
        var proofs: [PresenceProof] = []
        for _ in 0..<count { proofs.append(try proof()) }
        return ItemCredentials(applicationPassword: password, proofs: proofs)
    }

    mutating func wrappedKeys() throws(KeychainError) -> [WrappedItemKey] {
        try list { (reader) throws(KeychainError) in
            WrappedItemKey(binding: try reader.itemBinding(), box: try reader.short())
        }
    }

    /// A byte that has no other bits than those.
    mutating func flags(_ known: UInt8) throws(KeychainError) -> UInt8 {
        let flags = try byte()
        guard flags & ~known == 0 else { throw Self.malformed }
        return flags
    }

    mutating func itemBinding() throws(KeychainError) -> ItemBinding {
        guard let name = String(validating: try take(4), as: UTF8.self), let itemClass = ItemClass(rawValue: name),
            ItemClass.stored.contains(itemClass)
        else { throw Self.malformed }
        let accessibility = try byte()
        let flags = try flags(3)
        let uuid = try uuid()
        let version = Array(try take(16))
        guard let group = String(validating: try short(), as: UTF8.self) else { throw Self.malformed }
        return ItemBinding(
            itemClass: itemClass,
            uuid: uuid,
            version: version,
            accessGroup: group,
            accessibility: accessibility,
            isSynchronizable: flags & 1 != 0,
            isTombstone: flags & 2 != 0,
            accessControl: try short()
        )
    }

    mutating func settings() throws(KeychainError) -> LockSettings {
        let locksOnSleep = try flags(1) != 0
        let timeout: UInt32 = try number()
        let wipesAfter: UInt32 = try number()
        return LockSettings(
            locksOnSleep: locksOnSleep,
            timeout: timeout == .max ? nil : timeout,
            wipesAfter: wipesAfter == .max ? nil : wipesAfter
        )
    }

    mutating func state() throws(KeychainError) -> EnclaveState {
        let keychain = try uuid()
        let keybag = try uuid()
        let generation: UInt64 = try number()
        let epoch: UInt64 = try number()
        guard let lock = EnclaveState.Lock(rawValue: try byte()),
            let binding = DeviceBindingKind(rawValue: try byte())
        else { throw Self.malformed }
        let flags = try flags(15)
        return EnclaveState(
            keychain: keychain,
            keybag: keybag,
            generation: generation,
            lock: lock,
            hasPasscode: flags & 1 != 0,
            isRotating: flags & 2 != 0,
            epoch: epoch,
            settings: try settings(),
            binding: binding,
            isPasscodeConfirmed: flags & 4 != 0,
            keepsProgramsApart: flags & 8 != 0
        )
    }
}
