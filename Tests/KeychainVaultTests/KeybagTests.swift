import KeychainModel
import Testing

@testable import KeychainVault

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

    @Test func `a keybag that was written is read as it was`() throws {
        let keybag = try Keybag(creatingUnder: deviceKey)
        let again = try Keybag(file: keybag.file(under: deviceKey), under: deviceKey)
        #expect(again.keychain == keybag.keychain)
        #expect(again.uuid == keybag.uuid)
        #expect(again.generation == 1)
        #expect(again.file(under: deviceKey) == keybag.file(under: deviceKey))
        _ = try again.unlock(with: deviceKey)
    }

    @Test func `two keybags share neither names nor keys`() throws {
        let (first, second) = (try Keybag(creatingUnder: deviceKey), try Keybag(creatingUnder: deviceKey))
        #expect(first.keychain != second.keychain)
        #expect(first.uuid != second.uuid)
        let codes = try [first, second].map { KeychainVault(keys: try $0.unlock(with: deviceKey)).headerCode(for: [1]) }
        #expect(codes[0] != codes[1])
    }

    @Test func `a keybag of any other length is refused`() throws {
        let file = try Keybag(creatingUnder: deviceKey).file(under: deviceKey)
        for count in 0..<file.count {
            #expect(
                error { () throws(KeychainError) in
                    _ = try Keybag(file: Array(file.prefix(count)), under: deviceKey)
                }?.code == .notAvailable
            )
        }
        #expect(
            error { () throws(KeychainError) in _ = try Keybag(file: file + [0], under: deviceKey) }?.code
                == .notAvailable
        )
    }

    @Test func `a keybag with any bit flipped is refused`() throws {
        let file = try Keybag(creatingUnder: deviceKey).file(under: deviceKey)
        for index in file.indices {
            var changed = file
            changed[index] ^= 1 << UInt8(index % 8)
            let error = error { () throws(KeychainError) in _ = try Keybag(file: changed, under: deviceKey) }
            #expect(error?.code == .notAvailable, "byte \(index)")
        }
    }

    @Test func `a keybag of a newer version says that it is newer`() throws {
        var file = try Keybag(creatingUnder: deviceKey).file(under: deviceKey)
        file[4] = 2
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
        let entry = 2 + 60
        let start = 49
        for offset in 2..<entry { file.swapAt(start + offset, start + entry + offset) }
        let body = Array(file.dropLast(32))
        let forged = body + Keybag.authenticationCode(of: body, under: deviceKey, uuid: first.uuid)
        let keybag = try Keybag(file: forged, under: deviceKey)
        #expect(error { () throws(KeychainError) in _ = try keybag.unlock(with: deviceKey) }?.code == .notAvailable)
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
