package import KeychainModel

/// What a row's ciphertexts are bound to, so that no part of it can be edited, swapped or mixed with another.
package struct ItemBinding: Sendable {
    package var itemClass: ItemClass
    /// The item, for its life; the persistent reference.
    package var uuid: ItemUUID
    /// 16 random bytes, renewed at each write: old and new parts of one row do not open together.
    package var version: [UInt8]
    package var accessGroup: String
    /// The code of the accessibility class, as it stands in the row.
    package var accessibility: UInt8
    package var isSynchronizable: Bool
    package var isTombstone: Bool
    /// The stored form of the access control; empty for none.
    package var accessControl: [UInt8]

    package init(
        itemClass: ItemClass,
        uuid: ItemUUID,
        version: [UInt8],
        accessGroup: String,
        accessibility: UInt8,
        isSynchronizable: Bool,
        isTombstone: Bool,
        accessControl: [UInt8]
    ) {
        self.itemClass = itemClass
        self.uuid = uuid
        self.version = version
        self.accessGroup = accessGroup
        self.accessibility = accessibility
        self.isSynchronizable = isSynchronizable
        self.isTombstone = isTombstone
        self.accessControl = accessControl
    }
}

extension ItemBinding {
    /// What a private key of the enclave's is bound to. It is no row's, and so opens in none's place: see
    /// `AssociatedData.Part`.
    package init(_ header: EnclaveKey.Header) {
        self.init(
            itemClass: .key,
            uuid: header.uuid,
            version: header.version,
            accessGroup: header.accessGroup,
            accessibility: header.accessibility.code,
            isSynchronizable: false,
            isTombstone: false,
            accessControl: header.accessControl.serialized
        )
    }
}

/// The associated data of a row's ciphertexts.
///
/// `docs/formats/row.md` gives every byte. Each field has a fixed length or its length before it.
package struct AssociatedData {
    package enum Part: UInt8 {
        case wrappedKey = 1
        case metadata = 2
        case secret = 3
        /// The item key's box under an application password, inside the wrapped key.
        case passwordBoundKey = 4
        /// What is bound to a set of fingers, inside the wrapped key.
        case biometryBoundKey = 5
        /// The key's own key of a private key of the enclave's.
        case enclaveKey = 6
        /// The private key itself.
        case enclaveKeyContent = 7
    }

    private let bytes: [UInt8]

    private static let formatVersion: UInt8 = 1

    package init(_ binding: ItemBinding, keychain: ItemUUID) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(80 + binding.accessGroup.utf8.count + binding.accessControl.count)
        bytes.append(Self.formatVersion)
        bytes += keychain.bytes
        bytes += binding.uuid.bytes
        bytes += binding.version
        bytes += binding.itemClass.rawValue.utf8
        bytes.append(binding.accessibility)
        bytes.append(binding.isSynchronizable ? 1 : 0)
        bytes.append(binding.isTombstone ? 1 : 0)
        Self.append(binding.accessGroup.utf8, to: &bytes)
        Self.append(binding.accessControl, to: &bytes)
        self.bytes = bytes
    }

    private static func append(_ field: some Collection<UInt8>, to bytes: inout [UInt8]) {
        let count = UInt32(truncatingIfNeeded: field.count)
        unsafe withUnsafeBytes(of: count.bigEndian) { unsafe bytes.append(contentsOf: $0) }
        bytes += field
    }

    /// The data for one of the row's ciphertexts.
    ///
    /// - Parameter trailer: what else is bound: the metadata's covers the blind columns.
    package func bytes(for part: Part, trailer: [UInt8] = []) -> [UInt8] {
        var data: [UInt8] = []
        data.reserveCapacity(1 + bytes.count + trailer.count)
        data.append(part.rawValue)
        data += bytes
        data += trailer
        return data
    }
}

extension ItemBinding {
    /// - Throws: `undecodable` for an access control that is not understood.
    package func control() throws(KeychainError) -> AccessControl {
        guard let accessibility = Accessibility(code: accessibility),
            let control = AccessControl(serialized: accessControl, accessibility: accessibility)
        else { throw KeychainError(.undecodable, "an item's access control is not understood") }
        return control
    }

    /// Whether it dies with the fingers that were enrolled when it was made.
    package var needsCurrentBiometry: Bool {
        guard !accessControl.isEmpty else { return false }
        return (try? control().needsCurrentBiometry) ?? false
    }
}
