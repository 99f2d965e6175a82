import Foundation
import Machine
import Testing

/// The machine that all scenarios begin with: the package is installed, and nobody has logged in yet.
enum Installed {
    /// The image that is tested.
    static let image = Result {
        try Image(ProcessInfo.processInfo.environment["CHATELAINE_MACHINE_IMAGE"] ?? "debian12")
    }

    private static let machine = Result {
        // While scenarios are written: the machine of the run before is used, with the package that it has.
        if ProcessInfo.processInfo.environment["CHATELAINE_MACHINE_KEEP"] == "1" {
            return try Machine(image.get(), name: "installed", isKept: true)
        }
        let machine = try Machine(image.get(), name: "installed")
        try machine.start()
        try machine.save("fresh")
        try Package.install(on: machine)
        try machine.save("installed")
        return machine
    }

    /// Runs a scenario on the machine, and writes what was typed and said, and the journal, to a file of its name.
    ///
    /// - Parameter moment: `installed`, or `fresh`: without the package.
    static func scenario(
        at moment: String = "installed",
        _ name: String = Test.current?.name ?? "scenario",
        _ body: (Machine) throws -> Void
    ) throws {
        let machine = try machine.get()
        try machine.restore(moment)
        try observe(machine, name, body)
    }

    /// The same with a machine of one's own.
    static func observe(
        _ machine: Machine,
        _ name: String = Test.current?.name ?? "scenario",
        _ body: (Machine) throws -> Void
    ) throws {
        let transcript = try Transcript(machine.image.transcriptPath(fileName(name)))
        machine.write(to: transcript)
        do {
            try body(machine)
            keepJournal(of: machine)
        } catch {
            transcript.add("FAILED: \(error)")
            let text = (try? String(contentsOfFile: transcript.path, encoding: .utf8)) ?? ""
            keepJournal(of: machine)
            let journal = try? machine.root("\(journal) | grep -i chatelain | tail -n 40", status: nil)
            print("---- \(name), in \(transcript.path):\n\(text.suffix(3_000))")
            print("-- The journal:\n\(journal?.text ?? "")----")
            throw error
        }
    }

    private static let journal = "journalctl --no-pager --boot --output short-precise | grep -v 'machine kernel:'"

    private static func keepJournal(of machine: Machine) {
        _ = try? machine.root("\(journal) | tail -n 300", seconds: 60)
    }

    private static func fileName(_ name: String) -> String {
        name.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }.replacing(" ", with: "-")
    }
}

/// What the administrator does with the package.
enum Package {
    static func install(on machine: Machine, _ file: String = "/mnt/test/chatelaine.deb") throws {
        // What the package depends on comes from the distribution.
        try machine.root("ls /var/lib/apt/lists/*Packages* >/dev/null 2>&1 || apt-get update", seconds: 300)
        try machine.root("apt-get install --yes \(file)", seconds: 900)
    }
}

/// All scenarios, one after another: they share a machine.
@Suite(.serialized) struct Scenarios {}
