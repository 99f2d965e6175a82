import Foundation
import Testing

struct AttackFramesTests {
    /// Of the victim in the machine of scripts/machine-test.sh.
    private let secret = "LOOT-of-a-machine"

    @Test(arguments: ["authentication.frame", "add.frame", "find.frame", "everything.frame"])
    func `the frames that a whole machine is attacked with are the protocol's`(name: String) throws {
        let frame = try #require(try AttackFrames.all(storing: secret)[name])
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Machine/Fixtures/\(name)")
        if ProcessInfo.processInfo.environment["CHATELAINE_WRITE_FRAMES"] == "1" { try Data(frame).write(to: file) }
        #expect(try Data(contentsOf: file) == Data(frame), "CHATELAINE_WRITE_FRAMES=1 writes it anew")
    }
}
