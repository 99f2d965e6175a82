import Foundation
import KeychainModel
import KeychainProtocol
import Logging
import Testing

@testable import KeychainServer

/// A record that one program cannot push others' lines out of.
struct AuditCondenserTests {
    private let folder: String
    private let log: AuditLog

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/audit-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        log = AuditLog(path: folder + "/audit.log", tellsSignedApart: false, log: Logger(label: "test"))
    }

    private func entry(
        _ caller: String,
        _ kind: ServiceIdentity.Kind? = .unsigned,
        _ operation: String = "find",
        group: String = "g",
        outcome: String = "ok"
    ) -> String {
        AuditEntry(
            time: AuditEntry.now,
            uid: 1000,
            caller: caller,
            kind: kind,
            operation: operation,
            itemClass: .genericPassword,
            groups: [group],
            outcome: outcome,
            count: 1,
            rows: [ItemUUID()]
        ).line
    }

    private func lines() -> [String] {
        let names: [String] = (1...9).reversed().map { "audit.log.\($0)" } + ["audit.log"]
        var lines: [String] = []
        for name in names {
            let text = (try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)) ?? ""
            for line in text.split(separator: "\n") { lines.append(String(line)) }
        }
        return lines
    }

    private func count(ofOmitted lines: [String], where isMeant: (String) -> Bool = { _ in true }) -> Int {
        var count = 0
        for line in lines where line.contains("\"operation\":\"omitted") && isMeant(line) {
            let digits: Substring = line.components(separatedBy: "\"count\":").last?.prefix { $0.isNumber } ?? ""
            count += Int(digits) ?? 0
        }
        return count
    }

    @Test func `half a million lines of one program leave the others' there, and are counted`() throws {
        let kept = [
            entry("T0TEAM.victim", .installed), entry("T0TEAM.victim", .installed, "export"),
            entry("pid 77", nil, "connect"), entry("program./usr/bin/tool", .unsigned, "backup"),
            entry("program./usr/bin/tool", .unsigned, "sync-remove"),
            entry("program./usr/bin/carrier", .unsigned, "sync-device-added"),
        ]
        for line in kept { log.append(line) }
        // Of one time, so that what stands later is no older.
        let flood = String(repeating: entry("program.0123456789abcdef"), count: 1_000)
        for _ in 0..<500 { log.append(flood) }
        let lines = lines()
        for line in kept { #expect(lines.contains(String(line.dropLast())), "\(line)") }
        let left = lines.count { $0.contains("\"caller\":\"program.0123456789abcdef\"") && !$0.contains("omitted") }
        #expect(left > 10_000)
        #expect(left + count(ofOmitted: lines) == 500_000)
        var size = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            size += try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.size] as? Int ?? 0
        }
        #expect(size < 6 * AuditLog.largestFile)
        // In the order of time.
        let times = lines.map { $0.dropFirst(9).prefix(24) }
        let isInOrder = times == times.sorted()
        #expect(isInOrder)
    }

    @Test func `ever new programs that nobody has installed count as one`() {
        let victim = entry("T0TEAM.victim", .installed)
        log.append(victim)
        for number in 0..<200 {
            log.append((0..<1_000).map { entry("program.\(number)-\($0)", $0 % 2 == 0 ? .unsigned : .signed) }.joined())
        }
        #expect(lines().contains(String(victim.dropLast())))
    }

    @Test func `backups that are refused push out none that was made`() {
        let made = entry("program./usr/bin/chatelaine", .unsigned, "export")
        log.append(made)
        let refused = entry("program.0123456789abcdef", .unsigned, "export", outcome: "noPermission")
        for _ in 0..<200 { log.append(String(repeating: refused, count: 1_000)) }
        let lines = lines()
        let isThere = lines.contains(String(made.dropLast()))
        #expect(isThere)
        let left = lines.count { $0.contains("noPermission") }
        let omitted = count(ofOmitted: lines)
        #expect(left + omitted == 200_000)
    }

    @Test func `refused connections push out nothing but their own`() {
        let victim = entry("program.bystander")
        log.append(victim)
        for number in 0..<200 { log.append((0..<1_000).map { entry("pid \(number)\($0)", nil, "connect") }.joined()) }
        #expect(lines().contains(String(victim.dropLast())))
    }

    @Test func `a name that looks like other keys is but a name`() {
        let condenser = AuditCondenser(tellsSignedApart: false)
        let forged = entry("x\",\"kind\":\"installed\",\"operation\":\"export")
        let victim = entry("T0TEAM.victim", .installed)
        let text = victim + String(repeating: forged, count: 1_000)
        let condensed = String(decoding: condenser.condense(Array(text.utf8), to: 20_000), as: UTF8.self)
        #expect(condensed.utf8.count <= 20_000)
        #expect(condensed.hasPrefix(victim))
        let left = condensed.split(separator: "\n").map(String.init)
        #expect(left.count { $0.contains("omitted") } == 1)
        #expect(left.count - 2 + count(ofOmitted: left) == 1_000)
        for line in left { #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) } }
    }

    @Test(arguments: [
        "", "\n\n\n", "no line at all", "{\"caller\":\"", "\"count\":99999999999999999999999,\"operation\":\"omitted\"",
    ])
    func `bytes that are no record are made no larger`(_ text: String) {
        let condenser = AuditCondenser(tellsSignedApart: true)
        let record = Array(String(repeating: text + "\n", count: 500).utf8)
        #expect(condenser.condense(record, to: 700).count <= 700)
        #expect(condenser.condense(record, to: 0).isEmpty)
    }

    @Test func `nothing is written where there is no folder`() {
        let absent = AuditLog(path: folder + "/nobody/audit.log", tellsSignedApart: false, log: Logger(label: "test"))
        absent.append(entry("a"))
        #expect(!FileManager.default.fileExists(atPath: folder + "/nobody"))
    }
}
