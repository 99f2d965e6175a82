import Foundation
import KeychainModel
import KeychainPolicy
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import KeychainVault
@testable import LocalEnclave

@Suite("Secret bytes")
struct SecretBytesTests {
    private let secret = SecretBytes(Array("open sesame".utf8))

    private func printed(_ value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return [String(describing: value), "\(value)", String(reflecting: value), dumped].joined(separator: "\n")
    }

    @Test func `no way of printing shows them`() {
        let text = printed(secret)
        #expect(text.contains("[REDACTED]"))
        #expect(!text.contains("open sesame"))
        #expect(!text.contains("111"), "the bytes as numbers")
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test func `they stay hidden inside what holds them`() {
        var request = AddRequest(itemClass: .genericPassword)
        request.secrets[.valueData] = secret
        let text = printed(request) + printed([secret]) + printed(["data": secret] as [String: SecretBytes])
        #expect(text.contains("[REDACTED]"))
        #expect(!text.contains("open sesame"))
        #expect(!text.contains("111, 112"))
    }

    @Test func `opened secrets print neither value nor digest`() throws {
        let digest = [UInt8](200...219)
        let opened = try #require(SecretCodec.decode(SecretCodec.encode(sha1: digest, [.valueData: secret])))
        let text = printed(opened)
        #expect(!text.contains("open sesame"))
        #expect(!text.contains("200"), "the digest lets its reader guess the value")
    }

    @Test func `keys print no byte of theirs`() throws {
        let bytes = [UInt8](repeating: 0xEE, count: 32)
        let file = SecretBytes(Array("CHdk".utf8) + [1, 0, 0, 0] + bytes)
        let key = try DeviceKey(file: file)
        let keybag = try Keybag(creatingUnder: key)
        let keys = Keybag.WrappingKeys(key.key, keybag: keybag.uuid)
        let text = printed(key) + printed(keybag) + printed(try keybag.unwrapAll(with: keys))
        #expect(!text.contains("238, 238, 238, 238"))
        #expect(!text.lowercased().contains("eeeeeeee"))
    }

    @Test func `bytes that are moved in are zeroed where they were`() throws {
        // Larger than what Data keeps inside itself.
        var data = Data(repeating: 0x5A, count: 4096)
        let address = try #require(data.withUnsafeBytes { $0.baseAddress })
        let moved = SecretBytes(moving: &data)
        #expect(moved.withUnsafeBytes { $0.allSatisfy { $0 == 0x5A } })
        #expect(data.allSatisfy { $0 == 0 })
        let old = UnsafeRawBufferPointer(start: address, count: 4096)
        #expect(data.withUnsafeBytes { $0.baseAddress } == address, "a copy was zeroed instead")
        #expect(old.allSatisfy { $0 == 0 })
    }

    @Test func `an error carries no value`() {
        let messages = KeychainError.Code.allCases.map { "\(KeychainError($0, "text"))" }
        #expect(Set(messages).count == KeychainError.Code.allCases.count)
    }
}
