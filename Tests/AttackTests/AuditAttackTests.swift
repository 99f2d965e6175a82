import Foundation
import KeychainModel
import KeychainProtocol
import KeychainTestSupport
import Testing

/// A program of the victim's user that does as much as it can, so that what others did is pushed out of the record.
@Suite(
    .enabled(if: AttackedMachine.obstacle == nil, "needs root, namespaces, setpriv, nsenter and a C compiler"),
    .serialized
)
struct AuditAttackTests {
    private let site: AttackSite

    init() throws {
        site = try AttackSite.shared.get()
    }

    private static let requests = 18
    private static let operations = 1_000
    private static let programs = 3

    /// A batch whose lines in the record are as long as they can be: each sign of the names takes six bytes there.
    private func flood() throws -> Request {
        var query = ItemQuery(itemClass: .genericPassword)
        query.accessGroup = String(repeating: "\u{202E}", count: 256)
        return .onBehalf(
            of: String(repeating: "\u{202E}", count: 300),
            .batch(Array(repeating: .find(FindRequest(query: query)), count: Self.operations))
        )
    }

    /// The record of the victim's user, the oldest lines first.
    private func record(_ machine: AttackedMachine) -> [String] {
        let path = machine.folder + "/data/users/\(AttackSite.user)/audit.log"
        return ["\(path).4", "\(path).3", "\(path).2", "\(path).1", path].flatMap { file in
            String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
                .split(separator: "\n").map(String.init)
        }
    }

    /// What the victim does, and what is refused to a stranger, stand in the record; then programs come that were never there before.
    ///
    /// - Returns: the lines of before, and those of after.
    private func attack(_ machine: AttackedMachine) throws -> (before: [String], after: [String]) {
        let victim = try machine.install("attacked-program", groups: ["recorded"])
        for words in [["store", "secret"], ["find"], ["store", "secret"], ["find"]] {
            _ = try machine.run([victim] + words)
        }
        let before = record(machine)
        let speaker = try Speaker(machine)
        let request = try speaker.write(flood())
        for _ in 0..<Self.programs {
            let words = try speaker.fresh() + ["flood", "\(Self.requests / Self.programs)", request]
            let result = try speaker.command(words).run()
            #expect(result.text == "\(Self.requests / Self.programs) answers\n", "\(result.everything)")
        }
        return (before, record(machine))
    }

    @Test func `a flood of one user's fresh programs leaves each line of an installed program in the record (as root)`()
        throws
    {
        let machine = try AttackedMachine(site)
        let (before, after) = try attack(machine)
        #expect(before.count == 4 && before.allSatisfy { $0.contains("\"kind\":\"installed\"") }, "\(before)")
        let kept = Set(after)
        #expect(before.allSatisfy(kept.contains))

        // Of the flood the oldest are gone, and counted.
        let theirs = after.filter { $0.contains("\"kind\":\"unsigned\"") }
        let omitted = theirs.filter { $0.contains("\"operation\":\"omitted\"") }
        let count = omitted.reduce(0) { sum, line in
            sum + (Int(line.components(separatedBy: "\"count\":").last?.prefix { $0.isNumber } ?? "") ?? 0)
        }
        #expect(count > 1_000)
        #expect(theirs.count - omitted.count + count == Self.requests * Self.operations)
        let folder = machine.folder + "/data/users/\(AttackSite.user)"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("audit.log") }
        // Five files of 4 MiB, each longer by one batch at most.
        #expect(DiskWatch.size(of: files.map { folder + "/" + $0 }) < 5 * (4 << 20 + 2 << 20))

        // And what comes after it is written down.
        let victim = try machine.install("attacked-program", groups: ["recorded"])
        #expect(try machine.run([victim, "find"]).status == 0)
        #expect(record(machine).last?.contains("\"kind\":\"installed\"") == true)
    }

    @Test func `a record in which nobody has a share loses them (as root)`() throws {
        let machine = try AttackedMachine(site, daemon: "unchecked-daemon", options: ["--record-without-shares"])
        let (before, after) = try attack(machine)
        #expect(before.count == 4)
        let kept = Set(after)
        #expect(!before.contains(where: kept.contains))
    }
}
