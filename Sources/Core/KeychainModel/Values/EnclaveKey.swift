/// What stands for a private key of the enclave's, outside of it: who it is for, what its use demands, its public half, and
/// the key itself, sealed. Only the enclave opens it, and never gives the key out.
///
/// Nothing in it is secret, and nothing is believed: it is bound into the seal. `docs/formats/enclave-key.md` gives every
/// byte.
package struct EnclaveKey: Sendable, Hashable {
    package let header: Header
    /// What its parts are bound to, beside the header: see `EnclaveKey.Kind`.
    package let kind: Kind
    package let publicKey: EnclavePublicKey
    /// The key's own key, under those of the keybag.
    package let box: [UInt8]
    /// The private key, under the key's own key.
    package let content: [UInt8]

    /// What is decided before there is a key.
    package struct Header: Sendable, Hashable {
        package let keychain: ItemUUID
        package let uuid: ItemUUID
        /// 16 random bytes.
        package let version: [UInt8]
        package let accessGroup: String
        package let accessibility: Accessibility
        /// With an accessibility of its own: the one above.
        package let accessControl: AccessControl

        package init?(
            keychain: ItemUUID,
            uuid: ItemUUID = ItemUUID(),
            version: [UInt8] = ItemUUID().bytes,
            accessGroup: String,
            accessControl: AccessControl
        ) {
            guard case .accessibility(let accessibility) = accessControl.protection, version.count == 16,
                accessGroup.utf8.count <= EnclaveKey.longestGroup
            else { return nil }
            self.keychain = keychain
            self.uuid = uuid
            self.version = version
            self.accessGroup = accessGroup
            self.accessibility = accessibility
            self.accessControl = accessControl
        }
    }

    /// What the key computes, and where it is at home.
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// P-256: the enclave's process computes with it.
        case software = 1
        /// P-256: a TPM does, and nothing else can.
        case tpm = 2
        /// The enclave's process computes with all of these: a TPM has no such algorithms.
        case mldsa65 = 3
        case mldsa87 = 4
        case mlkem768 = 5
        case mlkem1024 = 6

        package var algorithm: EnclaveKeyAlgorithm {
            switch self {
            case .software, .tpm: .p256
            case .mldsa65: .mldsa65
            case .mldsa87: .mldsa87
            case .mlkem768: .mlkem768
            case .mlkem1024: .mlkem1024
            }
        }

        /// The kind of the keys that the enclave's process computes with.
        package init(software algorithm: EnclaveKeyAlgorithm) {
            self =
                switch algorithm {
                case .p256: .software
                case .mldsa65: .mldsa65
                case .mldsa87: .mldsa87
                case .mlkem768: .mlkem768
                case .mlkem1024: .mlkem1024
                }
        }
    }

    /// In bytes of UTF-8.
    package static let longestGroup = 1_024
    /// In bytes. One of ML-DSA-87 in a group with the longest name has some 4,000.
    package static let largest = 4_096
    /// What `kSecAttrTokenID` says of items that are such keys.
    package static let tokenID = "com.apple.setoken"

    package init?(header: Header, kind: Kind, publicKey: EnclavePublicKey, box: [UInt8], content: [UInt8]) {
        guard publicKey.algorithm == kind.algorithm, !box.isEmpty, !content.isEmpty, box.count <= 1_024,
            content.count <= 2_048
        else { return nil }
        self.header = header
        self.kind = kind
        self.publicKey = publicKey
        self.box = box
        self.content = content
        // What could not be read again.
        guard bytes.count <= Self.largest else { return nil }
    }
}

// MARK: - As bytes

extension EnclaveKey {
    private static let magic: [UInt8] = Array("CHek".utf8)
    private static let formatVersion: UInt8 = 1

    package var bytes: [UInt8] {
        var bytes = Self.magic + [Self.formatVersion, kind.rawValue, 0, 0]
        bytes += header.keychain.bytes + header.uuid.bytes + header.version
        bytes.append(header.accessibility.code)
        for field in [
            header.accessControl.serialized, Array(header.accessGroup.utf8), publicKey.externalRepresentation, box,
            content,
        ] {
            let count = UInt16(clamping: field.count)
            bytes += [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)] + field
        }
        return bytes
    }

    /// Reads one; nil for anything else.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count <= Self.largest else { return nil }
        var rest = Array(bytes)[...]
        func take(_ count: Int) -> [UInt8]? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        func field() -> [UInt8]? {
            take(2).flatMap { take(Int($0[0]) << 8 | Int($0[1])) }
        }
        guard take(4) == Self.magic, let version = take(4), version[0] == Self.formatVersion,
            let kind = Kind(rawValue: version[1]), version[2] == 0, version[3] == 0,
            let keychain = take(16).flatMap(ItemUUID.init), let uuid = take(16).flatMap(ItemUUID.init),
            let rowVersion = take(16), let code = take(1), let accessibility = Accessibility(code: code[0]),
            let control = field().flatMap({ AccessControl(serialized: $0, accessibility: accessibility) }),
            let group = field().flatMap({ String(validating: $0, as: UTF8.self) }),
            let publicKey = field().flatMap({ EnclavePublicKey($0, of: kind.algorithm) }), let box = field(),
            let content = field(),
            rest.isEmpty,
            let header = Header(
                keychain: keychain,
                uuid: uuid,
                version: rowVersion,
                accessGroup: group,
                accessControl: control
            )
        else { return nil }
        self.init(header: header, kind: kind, publicKey: publicKey, box: box, content: content)
    }
}
