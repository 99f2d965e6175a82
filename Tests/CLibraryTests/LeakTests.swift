import Foundation
import Testing

/// Who owns what, counted by LeakSanitizer.
///
/// It does not see every pointer that Swift keeps, so that a few hundred objects that are made once are always reported.
/// What counts is how many more there are after more rounds.
@Suite("Ownership of objects in C")
struct LeakTests {
    private static let rounds = (few: 5, many: 45)

    private let program: CProgram
    private let files: CertificateFiles

    init() throws {
        program = try CProgram("CClient/leaks.c", options: ["-fsanitize=leak"])
        files = try CertificateFiles()
    }

    /// How many allocations nobody can reach at the end.
    private func lostAllocations(rounds: Int, _ arguments: [String] = []) throws -> Int {
        let run = try program.run([String(rounds), files.leaf, files.issuer] + arguments)
        #expect(!run.output.contains("NOT OK"), "\(run.output)")
        guard run.status != 0 else { return 0 }
        let summary = try #require(
            run.output.firstMatch(of: /leaked in (\d+) allocation\(s\)/),
            "LeakSanitizer cannot run here: \(run.output.suffix(500))"
        )
        return try #require(Int(summary.1))
    }

    private func growth(_ arguments: [String] = []) throws -> Int {
        try lostAllocations(rounds: Self.rounds.many, arguments) - lostAllocations(rounds: Self.rounds.few, arguments)
    }

    @Test func `a program that releases what it owns loses nothing, whichever functions it calls`() throws {
        // A function that loses something loses it in each of the forty rounds more.
        let growth = try growth()
        #expect(growth < (Self.rounds.many - Self.rounds.few) / 2, "\(growth)")
    }

    @Test func `one forgotten release is found`() throws {
        let growth = try growth(["forget"])
        #expect(growth >= Self.rounds.many - Self.rounds.few, "\(growth)")
    }
}
