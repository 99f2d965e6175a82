import Foundation
import FuzzSupport

@testable import KeychainEngine
@testable import KeychainModel
@testable import KeychainStore
@testable import KeychainVault

/// The files beside the database, and the database's header. The first byte of an input chooses:
/// a keybag as it is, a keybag that is authenticated first, a device key, or the content of a header.
///
/// What is taken is written as it was read; all else is refused as not available, and as nothing else.
@main
enum FuzzKeybag: FuzzTarget {
    static func run(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        let kind = source.byte() % 4
        let contents = source.rest()
        do {
            switch kind {
            case 0: try read(keybag: contents)
            case 1: try read(keybag: authenticated(contents))
            case 2: try read(deviceKey: contents)
            default: try check(header: contents)
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
        guard let keybag = try? Keybag(creatingUnder: deviceKey), let keys = try? keybag.unlock(with: deviceKey) else {
            preconditionFailure("no keybag")
        }
        return (keybag, KeychainVault(keys: keys))
    }()

    private static func read(keybag contents: [UInt8]) throws {
        let keybag = try Keybag(file: contents, under: deviceKey)
        require(keybag.file(under: deviceKey) == contents, "a keybag that is taken is written as it was read")
        _ = try keybag.unlock(with: deviceKey)
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

    private static func check(header content: [UInt8]) throws {
        let genuine = Header(of: own.keybag, sealedBy: own.vault)
        try Header(content: content, code: own.vault.headerCode(for: content))
            .check(against: own.keybag, vault: own.vault)
        let before = Array(genuine.content.dropLast()) + [0]
        require(content == genuine.content || content == before, "a header is of this keybag or of the one before")
    }

    static func seeds() throws -> [String: [UInt8]] {
        let file = try Keybag(creatingUnder: deviceKey).file(under: deviceKey)
        return [
            "keybag": [0] + file, "keybag-authenticated": [1] + file,
            "device-key": [2] + deviceKey.file.withUnsafeBytes { Array($0) },
            "header": [3] + Header(of: own.keybag, sealedBy: own.vault).content,
        ]
    }
}
