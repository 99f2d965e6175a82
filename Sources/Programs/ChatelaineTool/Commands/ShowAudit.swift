import ArgumentParser
import Glibc
import KeychainClient
import KeychainModel
import Terminal

struct ShowAudit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show which programs asked the keychain service for what, and the outcome.",
        discussion: """
            The record has no values, and neither accounts nor services: it names items by their numbers. In system mode the \
            files are the service's, and root can read them.
            """
    )

    @Flag(help: "The record of the system's service instead of your own.")
    var system = false

    @Option(help: ArgumentHelp("The service's folder, if it is another one.", valueName: "dir"))
    var directory: String?

    @Option(help: ArgumentHelp("With --system: whose record.", valueName: "uid"))
    var uid: UInt32?

    @Option(name: .shortAndLong, help: "The number of operations, the latest ones; 0 for all.")
    var lines = 50

    @Flag(help: "Print the record as it is: a line of JSON for each operation.")
    var json = false

    func validate() throws {
        if uid != nil && !system { throw ValidationError("--uid goes with --system") }
        if lines < 0 { throw ValidationError("--lines has to be 0 or more") }
    }

    func run() throws {
        let path = try file()
        var shown = try AuditRecord.lines(of: path)
        if lines > 0 { shown = shown.suffix(lines) }
        for line in shown {
            Console.print(json ? TerminalText.escapedLines(line) + "\n" : try Self.readable(line))
        }
    }

    private func file() throws -> String {
        if system { return (directory ?? "/var/lib/chatelaine") + "/users/\(uid ?? getuid())/audit.log" }
        if let directory { return directory + "/audit.log" }
        return try KeychainLocation.personalFolder() + "/audit.log"
    }

    private static func readable(_ line: String) throws -> String {
        // A line that was being written when the power went is shown as it is.
        guard let entry = AuditRecord.Entry(line: line) else {
            return TerminalText.escaped(line) + "\n"
        }
        if entry.operation.hasPrefix("omitted"), let count = entry.count {
            return TerminalText.escaped("\(entry.time)  \(count) more until then are omitted  \(entry.caller)") + "\n"
        }
        var text = "\(entry.time)  \(entry.operation)"
        if let name = entry.class { text += " \(name)" }
        text += "  \(entry.outcome)"
        if let count = entry.count { text += " (\(count))" }
        text += "  \(entry.caller)"
        if let program = entry.onBehalfOf { text += "  for \(program), as it says," }
        if let groups = entry.groups { text += "  in " + groups.joined(separator: ", ") }
        if let rows = entry.rows { text += "  " + rows.joined(separator: " ") }
        return TerminalText.escaped(text) + "\n"
    }
}
