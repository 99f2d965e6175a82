import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// A keychain that was made before keys were with a process of their own.
@Suite(.enabled(if: SystemMode.isPossible, "needs root, and a root folder that is a mount"), .timeLimit(.minutes(3)))
struct EarlierVersionTests {
    @Test
    func `keys beside the service's database are refused with what to do, and work once they are handed over`() throws {
        let service = try LockedService(.system)
        let secret = Array("secret".utf8)
        _ = try service.client.add(Item.add("old", secret: secret))
        let keys = service.enclaveFolder
        let former = service.databaseFolder
        let owner = try FileManager.default.attributesOfItem(atPath: former)[.ownerAccountID] as? NSNumber
        for name in ["device.key", "keybag"] {
            try FileManager.default.moveItem(atPath: keys + "/" + name, toPath: former + "/" + name)
            chown(former + "/" + name, uid_t(truncating: try #require(owner)), 0)
        }
        try FileManager.default.removeItem(atPath: keys)
        try service.restart()
        let refusal = #expect(throws: KeychainError.self) { try service.client.find(Item.find("old")) }
        #expect(refusal?.code == .notAvailable)
        #expect(refusal?.message.contains("docs/install.md") == true)
        // As docs/install.md has it.
        service.process.kill()
        let handOver = Process()
        handOver.executableURL = URL(fileURLWithPath: "/bin/sh")
        handOver.arguments = [
            "-ec",
            """
            cd "$1"
            install -d -m 700 -o 64034 -g 64034 "$2"
            install -m 600 -o 64034 -g 64034 device.key keybag "$2"
            rm device.key keybag
            """,
            "sh", former, keys,
        ]
        try handOver.runHearingSignals()
        handOver.waitForExit()
        try #require(handOver.terminationStatus == 0)
        try service.restart()
        let found = try service.client.find(Item.find("old"))
        #expect(found.first?.secrets[.valueData]?.withUnsafeBytes { Array($0) } == secret)
    }
}
