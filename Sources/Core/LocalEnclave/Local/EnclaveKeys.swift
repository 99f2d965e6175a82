import Crypto
import EnclaveInterface
import KeychainModel

/// The keys that are there now.
struct EnclaveKeys {
    /// One class key, as it is used.
    struct ClassKey {
        let madeIn: UInt64
        let metadata: any HeldKey
        let wrapping: any HeldKey

        func erase() {
            metadata.erase()
            wrapping.erase()
        }
    }

    private let arena: any KeyArena
    private let keychain: ItemUUID
    /// The newest first.
    private(set) var classes: [Accessibility: [ClassKey]] = [:]
    /// The key that the passcode opens; nil while locked, or where there is no passcode.
    private var passcode: (any HeldKey)?
    private(set) var index: (any HeldKey)?
    private var backup: (any HeldKey)?
    private var signing: (any HeldKey)?
    private var biometrySet: (any HeldKey)?
    private var biometry: (any HeldKey)?
    /// By their ThisDeviceOnly classes.
    private(set) var privateKeys: [Accessibility: any HeldKey] = [:]

    init(arena: any KeyArena, keychain: ItemUUID) {
        self.arena = arena
        self.keychain = keychain
    }

    var indexKey: SymmetricKey? { index?.key }
    var backupKey: SymmetricKey? { backup?.key }
    var signingKey: SymmetricKey? { signing?.key }

    /// What dies with a set of fingers, and which it is.
    var biometryKey: (set: EnrolledSet, key: SymmetricKey)? {
        guard let key = biometry?.key, let digest = biometrySet?.key,
            let set = unsafe digest.withUnsafeBytes({ unsafe EnrolledSet(Array($0)) })
        else { return nil }
        return (set, key)
    }

    var passcodeKey: SymmetricKey? { passcode?.key }

    mutating func setPasscodeKey(_ key: SymmetricKey?) throws(KeychainError) {
        passcode?.erase()
        passcode = nil
        if let key { passcode = try arena.hold(key) }
    }

    /// Takes in what was opened.
    mutating func insert(_ named: Keybag.Named) throws(KeychainError) {
        switch named.purpose {
        case .accessibility(let accessibility):
            let pair = ClassKeyPair(named.key, keychain: keychain)
            try insert(accessibility, madeIn: named.madeIn, metadata: pair.metadata, wrapping: pair.wrapping)
        case .index: if index == nil { index = try arena.hold(named.key) }
        case .backup: if backup == nil { backup = try arena.hold(named.key) }
        case .signing: if signing == nil { signing = try arena.hold(named.key) }
        case .biometrySet: try Self.replace(&biometrySet, by: named.key, in: arena)
        case .biometry: try Self.replace(&biometry, by: named.key, in: arena)
        case .privateKeys(let accessibility): try insert(named.key, ofPrivateKeysIn: accessibility)
        }
    }

    mutating func insert(_ key: SymmetricKey, ofPrivateKeysIn accessibility: Accessibility) throws(KeychainError) {
        try Self.replace(&privateKeys[accessibility], by: key, in: arena)
    }

    /// Erases those of private keys that the condition does not hold for.
    mutating func keepPrivateKeys(where isKept: (Accessibility) -> Bool) {
        for (accessibility, key) in privateKeys where !isKept(accessibility) {
            key.erase()
            privateKeys[accessibility] = nil
        }
    }

    /// It may be another one than before.
    private static func replace(
        _ held: inout (any HeldKey)?,
        by key: SymmetricKey,
        in arena: any KeyArena
    ) throws(KeychainError) {
        if let present = held?.key, present == key { return }
        held?.erase()
        held = nil
        held = try arena.hold(key)
    }

    mutating func insert(
        _ accessibility: Accessibility,
        madeIn: UInt64,
        metadata: SymmetricKey,
        wrapping: SymmetricKey
    ) throws(KeychainError) {
        var held = classes[accessibility] ?? []
        guard !held.contains(where: { $0.madeIn == madeIn }) else { return }
        held.append(
            ClassKey(madeIn: madeIn, metadata: try arena.hold(metadata), wrapping: try arena.hold(wrapping))
        )
        classes[accessibility] = held.sorted { $0.madeIn > $1.madeIn }
    }

    /// Erases what the condition does not hold for.
    mutating func keep(where isKept: (Accessibility, UInt64) -> Bool) {
        for (accessibility, held) in classes {
            for key in held where !isKept(accessibility, key.madeIn) { key.erase() }
            let kept = held.filter { isKept(accessibility, $0.madeIn) }
            classes[accessibility] = kept.isEmpty ? nil : kept
        }
    }

    /// Erases what only the passcode opens, but for some classes.
    mutating func lock(keeping kept: Set<Accessibility>) {
        passcode?.erase()
        passcode = nil
        keep { accessibility, _ in kept.contains(accessibility) }
        keepPrivateKeys { kept.contains($0) }
    }
}
