import Crypto
import EnclaveInterface
package import KeychainModel

extension Keybag {
    private static let magic: [UInt8] = Array("CHkb".utf8)
    /// The version that is written. Version 1, which knows no passcode, and version 2, which does not know where a passcode
    /// came from, are read too.
    static let version: UInt8 = 3
    /// The version of the keys' boxes: the third version of the file left them as they were.
    static let boxVersion: UInt8 = 2
    private static let boxSize = 32 + Cipher.overhead
    private static let macSize = 32
    private static let saltSize = 32
    private static let checkSize = 32
    /// No keybag of these versions is larger.
    package static let largestFile = 32_768

    /// The contents of the file, authenticated under the device key.
    package func file(under deviceKey: DeviceKey) -> [UInt8] {
        var bytes = Self.magic + [Self.version, 0, 0, 0] + keychain.bytes + uuid.bytes + generation.bigEndianBytes
        bytes += [settings.locksOnSleep ? 1 : 0] + settings.timeout.file + settings.wipesAfter.file
        bytes += (counter == nil ? [0] : [1]) + (counter ?? 0).bigEndianBytes
        bytes.append(passcode == nil ? 0 : 1)
        if let passcode {
            bytes += passcode.cost.bytes + [passcode.place.map { $0 + 1 } ?? 0] + passcode.salt + passcode.check
            bytes.append(passcode.isConfirmed ? 1 : 0)
        }
        bytes.append(UInt8(truncatingIfNeeded: entries.count))
        for entry in entries {
            bytes += [entry.purpose.code, entry.wrapping.rawValue] + entry.madeIn.bigEndianBytes + entry.box
        }
        return bytes + Self.authenticationCode(of: bytes, under: deviceKey, uuid: uuid)
    }

    static func authenticationCode(of bytes: [UInt8], under deviceKey: DeviceKey, uuid: ItemUUID) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: macKey(deviceKey, uuid)))
    }

    private static func macKey(_ deviceKey: DeviceKey, _ uuid: ItemUUID) -> SymmetricKey {
        derive(deviceKey.key, "chatelaine keybag mac 1", uuid)
    }

    /// Reads a file's contents and checks that the device key is the one that they were written under.
    ///
    /// A keybag of an older version comes out as this one would have it. What any program could set before it had to come
    /// over a trusted path is not taken for the owner's: the passcode is unconfirmed, and no wrong passcodes destroy keys.
    ///
    /// - Parameter uncheckedCost: a cost that is taken although it is out of bounds.
    /// - Throws: `notAvailable` for anything else than a whole keybag of a known version and this device key.
    package init(
        file bytes: [UInt8],
        under deviceKey: DeviceKey,
        uncheckedCost: PasscodeCost? = nil
    ) throws(KeychainError) {
        guard bytes.count > Self.macSize, bytes.starts(with: Self.magic) else { throw Self.damaged }
        var body = FieldReader(bytes.dropLast(Self.macSize).dropFirst(Self.magic.count))
        let version = try body.byte()
        guard (1...Self.version).contains(version) else {
            throw KeychainError(.notAvailable, "the keybag is of a newer version; use the newer program")
        }
        guard try body.bytes(3).allSatisfy({ $0 == 0 }),
            let keychain = ItemUUID(try body.bytes(16)), let uuid = ItemUUID(try body.bytes(16))
        else { throw Self.damaged }
        guard
            HMAC<SHA256>.isValidAuthenticationCode(
                Array(bytes.suffix(Self.macSize)),
                authenticating: bytes.dropLast(Self.macSize),
                using: Self.macKey(deviceKey, uuid)
            )
        else {
            throw KeychainError(
                .notAvailable,
                "the keybag is damaged or does not belong to this device key; put the files back that belong together"
            )
        }
        self.init(keychain: keychain, uuid: uuid, generation: try body.number(8))
        if version == 1 {
            entries = try body.entries { (body) throws(KeychainError) in try Self.firstEntry(&body) }
        } else {
            try readHeader(&body, version: version, uncheckedCost: uncheckedCost)
            if version == 2 { settings.wipesAfter = nil }
            entries = try body.entries { (body) throws(KeychainError) in try Self.entry(&body) }
        }
        guard body.isAtEnd else { throw Self.damaged }
        try checkEntries()
    }

    private mutating func readHeader(
        _ body: inout FieldReader,
        version: UInt8,
        uncheckedCost: PasscodeCost?
    ) throws(KeychainError) {
        settings = LockSettings(
            locksOnSleep: try body.flag(),
            timeout: try body.optionalNumber(),
            wipesAfter: try body.optionalNumber()
        )
        let hasCounter = try body.flag()
        let counter: UInt64 = try body.number(8)
        guard hasCounter || counter == 0 else { throw Self.damaged }
        self.counter = hasCounter ? counter : nil
        guard try body.flag() else { return }
        let (logN, r, p) = (try body.byte(), try body.byte(), try body.byte())
        let unchecked = uncheckedCost.flatMap { $0.bytes == [logN, r, p] ? $0 : nil }
        guard let cost = PasscodeCost(logN: logN, r: r, p: p) ?? unchecked else { throw Self.damaged }
        let place = try body.byte()
        passcode = PasscodeRecord(
            cost: cost,
            salt: try body.bytes(Self.saltSize),
            place: place == 0 ? nil : place - 1,
            check: try body.bytes(Self.checkSize),
            isConfirmed: version == 2 ? false : try body.flag()
        )
    }

    private static func firstEntry(_ body: inout FieldReader) throws(KeychainError) -> Entry {
        let code = try body.byte()
        guard let purpose = Purpose(code: code), code <= 7, try body.byte() == Wrapping.deviceKey.rawValue else {
            throw damaged
        }
        return Entry(purpose: purpose, wrapping: .deviceKey, madeIn: 1, box: try body.bytes(boxSize), version: 1)
    }

    private static func entry(_ body: inout FieldReader) throws(KeychainError) -> Entry {
        guard let purpose = Purpose(code: try body.byte()), let wrapping = Wrapping(rawValue: try body.byte()) else {
            throw damaged
        }
        return Entry(
            purpose: purpose,
            wrapping: wrapping,
            madeIn: try body.number(8),
            box: try body.bytes(boxSize),
            version: boxVersion
        )
    }

    /// That no key is missing, and none is wrapped otherwise than its class has to be.
    private mutating func checkEntries() throws(KeychainError) {
        // Version 1 made a key for a class that could not be used.
        if !hasPasscode && entries.allSatisfy({ $0.version == 1 }) {
            entries.removeAll { $0.purpose == .accessibility(.whenPasscodeSetThisDeviceOnly) }
        }
        let needed = Self.classes(withPasscode: hasPasscode).map(Purpose.accessibility) + [.index]
        guard needed.allSatisfy(has), has(.backup) == has(.signing), has(.biometry) == has(.biometrySet)
        else { throw Self.damaged }
        for entry in entries {
            guard entry.wrapping == Self.wrapping(of: entry.purpose, withPasscode: hasPasscode),
                hasPasscode || !entry.purpose.needsPasscode
            else { throw Self.damaged }
        }
        let withPrivateKeys = Self.classes(withPasscode: hasPasscode).filter { has(.privateKeys($0)) }
        let all = Self.classes(withPasscode: hasPasscode).filter(\.isThisDeviceOnly)
        guard withPrivateKeys.isEmpty || withPrivateKeys == all else { throw Self.damaged }
    }
}

/// Takes fields off the front of a file.
struct FieldReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() throws(KeychainError) -> UInt8 {
        guard let first = rest.popFirst() else { throw Keybag.damaged }
        return first
    }

    mutating func bytes(_ count: Int) throws(KeychainError) -> [UInt8] {
        guard rest.count >= count else { throw Keybag.damaged }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// 0 or 1.
    mutating func flag() throws(KeychainError) -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw Keybag.damaged }
        return byte == 1
    }

    mutating func number<Number: FixedWidthInteger>(_ size: Int) throws(KeychainError) -> Number {
        try bytes(size).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    /// A number that is never 0, which says that there is none.
    mutating func optionalNumber() throws(KeychainError) -> UInt32? {
        let number: UInt32 = try number(4)
        return number == 0 ? nil : number
    }

    mutating func entries<Entry>(
        _ one: (inout FieldReader) throws(KeychainError) -> Entry
    ) throws(KeychainError) -> [Entry] {
        var entries: [Entry] = []
        for _ in 0..<Int(try byte()) { entries.append(try one(&self)) }
        return entries
    }
}

extension FixedWidthInteger {
    var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }
    }
}

extension UInt32? {
    /// As it stands in a file: 0 for none.
    fileprivate var file: [UInt8] { (self ?? 0).bigEndianBytes }
}
