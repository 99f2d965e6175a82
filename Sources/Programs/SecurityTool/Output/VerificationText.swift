import KeychainModel
import Terminal

/// What `verify-keychain` and `repair-keychain` print.
enum VerificationText {
    static func text(_ report: VerificationReport) -> String {
        var lines = ["keychain: \(TerminalText.escaped(report.path))"]
        for itemClass in ItemClass.stored {
            guard let counts = report.counts[itemClass] else { continue }
            lines.append("\(itemClass.longName): " + text(counts))
        }
        for problem in report.problems {
            lines.append(TerminalText.escaped("\(problem.place): \(problem.message)"))
        }
        var remedies: [String] = []
        for remedy in report.problems.compactMap({ advice(on: $0.remedy) }) where !remedies.contains(remedy) {
            remedies.append(remedy)
        }
        lines += remedies.map { TerminalText.escaped($0) }
        lines.append(report.isWhole ? "The keychain is whole." : "The keychain is damaged.")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func text(_ counts: VerificationReport.Counts) -> String {
        let more = [
            (counts.tombstones, "tombstones"), (counts.damaged, "damaged"), (counts.aside, "set aside"),
            (counts.locked, "locked"),
        ]
        let parts = more.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return (["\(counts.whole)"] + parts).joined(separator: ", ")
    }

    private static func advice(on remedy: VerificationReport.Problem.Remedy) -> String? {
        switch remedy {
        case .repair: "To set what is damaged aside and keep the rest: security repair-keychain"
        case .restore: "What is lost or belongs to another keychain can only be put back from a copy."
        case .command(let command): "To mend that: \(command)"
        case .upgrade: "Use the newer version of the program."
        case .none: nil
        }
    }

    // MARK: - Repairs

    static func text(_ report: RepairReport) -> String {
        let kept = report.kept == 1 ? "1 row is whole" : "\(report.kept) rows are whole"
        let aside = report.setAside == 1 ? "1 damaged row" : "\(report.setAside) damaged rows"
        switch report.outcome {
        case .nothingToDo:
            return "Nothing is damaged; \(kept).\n"
        case .rowsSetAside:
            return "\(aside) set aside; \(kept).\n"
        case .replaced(let name):
            var text = "The database was replaced by a new one; \(kept), \(aside) left out.\n"
            if !report.incomplete.isEmpty {
                let classes = report.incomplete.map(\.longName).joined(separator: ", ")
                text += "Not everything could be read, so there may have been more: \(classes).\n"
            }
            return text + "The damaged file is \(TerminalText.escaped(name)).\n"
        }
    }

    // MARK: - JSON

    static func json(_ report: VerificationReport) -> JSONText {
        .object([
            ("keychain", .string(report.path)),
            ("whole", .bool(report.isWhole)),
            (
                "classes",
                .object(
                    ItemClass.stored.compactMap { itemClass in
                        report.counts[itemClass].map { (itemClass.longName, json($0)) }
                    }
                )
            ),
            (
                "problems",
                .array(
                    report.problems.map { problem in
                        .object([
                            ("place", .string(problem.place)), ("problem", .string(problem.message)),
                            ("remedy", .string(word(for: problem.remedy))),
                        ])
                    }
                )
            ),
        ])
    }

    private static func json(_ counts: VerificationReport.Counts) -> JSONText {
        .object([
            ("whole", .number(Int64(counts.whole))), ("tombstones", .number(Int64(counts.tombstones))),
            ("damaged", .number(Int64(counts.damaged))), ("setAside", .number(Int64(counts.aside))),
            ("locked", .number(Int64(counts.locked))),
        ])
    }

    private static func word(for remedy: VerificationReport.Problem.Remedy) -> String {
        switch remedy {
        case .repair: "repair"
        case .restore: "restore"
        case .command(let command): command
        case .upgrade: "upgrade"
        case .none: "none"
        }
    }
}
