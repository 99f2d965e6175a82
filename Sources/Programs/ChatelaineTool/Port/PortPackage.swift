import ArgumentParser
import Terminal

struct PortPackage: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "port",
        abstract: "Say what a Swift package needs to build on Linux with this keychain.",
        discussion: """
            Reads its sources and its manifest as text and runs nothing. The package stays as it is. --write makes a \
            copy whose manifest names what each target needs; a manifest that cannot be changed for sure is not.
            """
    )

    @Argument(help: "The package's folder.")
    var folder = "."

    @Flag(help: "Print JSON.")
    var json = false

    @Option(help: ArgumentHelp("Write a changed copy of the package into a new folder.", valueName: "dir"))
    var write: String?

    @Option(help: ArgumentHelp("Where the copy's manifest looks for this package, from the copy.", valueName: "path"))
    var chatelaine = "../chatelaine"

    func run() throws {
        let analysis = try PortAnalysis(of: folder)
        guard let write else { return print(PortReport(analysis: analysis, copy: nil)) }
        do {
            // Before anything is copied.
            _ = try analysis.changedManifest(chatelaine: chatelaine)
            let copy = try PortedCopy(of: folder, at: write, chatelaine: chatelaine)
            print(PortReport(analysis: copy.analysis, copy: write))
        } catch {
            print(PortReport(analysis: analysis, copy: nil))
            throw error
        }
    }

    private func print(_ report: PortReport) {
        Console.print(json ? report.json.text() + "\n" : report.text)
    }
}
