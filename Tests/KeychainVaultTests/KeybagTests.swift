import Crypto
import KeychainModel
import KeychainVault
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import LocalEnclave

@Suite("The keybag and the device key")
struct KeybagTests {
    private let deviceKey = DeviceKey()

    private func error(_ body: () throws(KeychainError) -> Void) -> KeychainError? {
        do throws(KeychainError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    /// A new one, and one with all that a keybag can have.
    private func keybags() throws -> [Keybag] {
        let new = try Keybag(creatingUnder: deviceKey)
        return try [new, full(new, isConfirmed: false), full(new, isConfirmed: true)]
    }

    private func full(_ new: Keybag, isConfirmed: Bool) throws -> Keybag {
        var full = new
        full.settings = LockSettings(locksOnSleep: true, timeout: 60, wipesAfter: 10)
        full.counter = 7
        let record = PasscodeRecord(
            cost: .standard,
            salt: [UInt8](repeating: 1, count: 32),
            place: 1,
            check: [UInt8](repeating: 2, count: 32),
            isConfirmed: isConfirmed
        )
        let opened = try full.unwrapAll(with: Keybag.WrappingKeys(deviceKey.key, keybag: full.uuid))
        let passcode = SymmetricKey(size: .bits256)
        try full.setPasscode(
            record,
            opened: opened,
            under: Keybag.WrappingKeys(deviceKey.key, keybag: full.uuid, passcode: passcode)
        )
        return full
    }

    @Test func `a keybag that was written is read as it was`() throws {
        for keybag in try keybags() {
            let again = try Keybag(file: keybag.file(under: deviceKey), under: deviceKey)
            #expect(again.keychain == keybag.keychain)
            #expect(again.uuid == keybag.uuid)
            #expect(again.generation == 1)
            #expect(again.settings == keybag.settings)
            #expect(again.passcode == keybag.passcode)
            #expect(again.counter == keybag.counter)
            #expect(again.file(under: deviceKey) == keybag.file(under: deviceKey))
            _ = try LocalEnclave(again, under: deviceKey)
        }
    }

    @Test func `two keybags share neither names nor keys`() throws {
        let (first, second) = (try Keybag(creatingUnder: deviceKey), try Keybag(creatingUnder: deviceKey))
        #expect(first.keychain != second.keychain)
        #expect(first.uuid != second.uuid)
        let codes = try [first, second].map { keybag in
            try KeychainVault(LocalEnclave(keybag, under: deviceKey)).headerCode(for: [1])
        }
        #expect(codes[0] != codes[1])
    }

    private func isRefused(_ file: [UInt8]) -> Bool {
        error { () throws(KeychainError) in _ = try Keybag(file: file, under: deviceKey) }?.code == .notAvailable
    }

    @Test func `a keybag of any other length is refused`() throws {
        for keybag in try keybags() {
            let file = keybag.file(under: deviceKey)
            for count in 0..<file.count { #expect(isRefused(Array(file.prefix(count))), "\(count) bytes") }
            #expect(isRefused(file + [0]))
        }
    }

    @Test func `a keybag with any bit flipped is refused`() throws {
        for keybag in try keybags() {
            let file = keybag.file(under: deviceKey)
            for index in file.indices {
                var changed = file
                changed[index] ^= 1 << UInt8(index % 8)
                #expect(isRefused(changed), "byte \(index)")
            }
        }
    }

    @Test func `a keybag of a newer version says that it is newer`() throws {
        var file = try Keybag(creatingUnder: deviceKey).file(under: deviceKey)
        file[4] = 4
        let error = error { () throws(KeychainError) in _ = try Keybag(file: file, under: deviceKey) }
        #expect(error?.code == .notAvailable)
        #expect(error?.message.contains("newer") == true)
    }

    @Test func `another device key opens no keybag`() throws {
        let file = try Keybag(creatingUnder: deviceKey).file(under: deviceKey)
        #expect(
            error { () throws(KeychainError) in _ = try Keybag(file: file, under: DeviceKey()) }?.code == .notAvailable
        )
    }

    @Test func `a wrapped key opens neither in another place nor in another keybag`() throws {
        let first = try Keybag(creatingUnder: deviceKey)
        var file = first.file(under: deviceKey)
        // The boxes of two keys change places, and whoever has the device key makes the code anew.
        let entry = 10 + 60
        let start = 68
        for offset in 10..<entry { file.swapAt(start + offset, start + entry + offset) }
        let body = Array(file.dropLast(32))
        let forged = body + Keybag.authenticationCode(of: body, under: deviceKey, uuid: first.uuid)
        let keybag = try Keybag(file: forged, under: deviceKey)
        #expect(
            error { () throws(KeychainError) in _ = try LocalEnclave(keybag, under: deviceKey) }?.code == .notAvailable
        )
    }

    @Test func `a device key that was written is read as it was`() throws {
        let file = deviceKey.file.withUnsafeBytes { Array($0) }
        #expect(file.count == 40)
        #expect(Array(file.prefix(8)) == Array("CHdk".utf8) + [1, 0, 0, 0])
        let again = try DeviceKey(file: SecretBytes(file))
        #expect(again.file.withUnsafeBytes { Array($0) } == file)
        let keybag = try Keybag(creatingUnder: deviceKey)
        _ = try Keybag(file: keybag.file(under: deviceKey), under: again)
    }

    @Test func `a device key of another length, name or version is refused`() {
        let file = deviceKey.file.withUnsafeBytes { Array($0) }
        func refused(_ bytes: [UInt8]) -> Bool {
            error { () throws(KeychainError) in _ = try DeviceKey(file: SecretBytes(bytes)) }?.code == .notAvailable
        }
        for count in 0..<file.count { #expect(refused(Array(file.prefix(count)))) }
        #expect(refused(file + [0]))
        for index in 0..<8 {
            var changed = file
            changed[index] ^= 1
            #expect(refused(changed))
        }
    }
}
