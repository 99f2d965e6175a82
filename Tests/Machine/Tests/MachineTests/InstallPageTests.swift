import Foundation
import Machine
import Testing

/// The commands of docs/install.md, each with what the page says that it prints.
struct InstallPage {
    struct Step {
        let command: String
        let isRoots: Bool
        var output: [String] = []
    }

    /// Blocks by what their comments call them.
    let blocks: [(name: String, steps: [Step])]

    init(_ text: String) throws {
        var blocks: [(name: String, steps: [Step])] = []
        var name: String?
        var steps: [Step]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if let begun = name, line == "```" {
                blocks.append((begun, steps ?? []))
                name = nil
                steps = nil
            } else if let comment = line.wholeMatch(of: /<!-- a machine: (.*) -->/) {
                name = String(comment.1)
            } else if name != nil, line == "```console" {
                steps = []
            } else if steps != nil {
                if line.hasPrefix("# ") || line.hasPrefix("$ ") {
                    steps?.append(Step(command: String(line.dropFirst(2)), isRoots: line.hasPrefix("#")))
                } else if let last = steps?.indices.last {
                    steps?[last].output.append(line)
                } else {
                    throw Failure("a line before the first command: \(line)")
                }
            }
        }
        self.blocks = blocks
    }

    /// Whether lines were printed as the page shows them; `…` stands for any number of lines, and a line for one that has it.
    static func shows(_ page: [String], _ printed: [String]) -> Bool {
        guard let line = page.first else { return printed.isEmpty }
        if line == "…" {
            return (0...printed.count).contains { shows(Array(page.dropFirst()), Array(printed.dropFirst($0))) }
        }
        guard let first = printed.first, first.contains(line.trimmingCharacters(in: .whitespaces)) else { return false }
        return shows(Array(page.dropFirst()), Array(printed.dropFirst()))
    }
}

extension Scenarios {
    @Suite(.serialized) struct InstallPageTests {
        @Test func `the installation page can be followed from its first command to its last`() throws {
            let path = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../../docs/install.md")
            let page = try InstallPage(String(contentsOf: path, encoding: .utf8))
            let names = [
                "install", "the first day", "the next day, after a log-out and a log-in", "doctor", "upgrade", "remove",
            ]
            try #require(page.blocks.map(\.name) == names)
            try Installed.scenario(at: "fresh") { machine in
                try machine.root("cp /mnt/test/chatelaine.deb /root/chatelaine_0_amd64.deb")
                try machine.root("apt-get update", seconds: 300)
                let alice = try machine.console(0)
                for (name, steps) in page.blocks {
                    if name == "the first day" { try machine.logIn(.alice) }
                    if name.hasPrefix("the next day") {
                        try alice.logOut()
                        try machine.waitUntilGone(.alice)
                        try machine.logIn(.alice)
                        try alice.waitForPasscode()
                    }
                    for step in steps { try follow(step, machine, alice) }
                }
            }
        }

        private func follow(_ step: InstallPage.Step, _ machine: Machine, _ alice: Console) throws {
            let printed: [String]
            if step.isRoots {
                let command = step.command.replacing("apt ", with: "apt-get --yes ")
                printed = try machine.root("cd /root; \(command)", status: nil, seconds: 900).lines
            } else if step.output == ["passcode:"] {
                try alice.run(step.command, answering: ("passcode:", "correct horse"))
                printed = step.output
            } else {
                printed = try alice.run(step.command, status: nil).lines
            }
            try #require(InstallPage.shows(step.output, printed), "\(step.command) printed \(printed)")
        }
    }
}
