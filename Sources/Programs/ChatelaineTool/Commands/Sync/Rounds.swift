import ArgumentParser
import EnclaveInterface
import KeychainCircles
import KeychainClient
import KeychainModel
import KeychainSync
import SyncCarrier
import SyncTransport
import Terminal

struct SynchronizeNow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "now",
        abstract: "Send what has changed on this device, and take what has changed on others.",
        discussion: """
            Ends with 0 where all that is there was taken, also if something waits for another device, or for an unlock.
            """
    )

    @Option(
        name: [.customLong("folder"), .customLong("place")],
        help: ArgumentHelp(
            "The folder or the cluster from now on: for one that has another place.",
            valueName: "place"
        ),
        completion: .directory
    )
    var place: String?

    @Flag(
        help:
            "Take the circle as the transport has it, although newer changes are known that do not come: they are lost."
    )
    var acceptOlder = false

    @Flag(help: "Print what was done as JSON.")
    var json = false

    @OptionGroup var options: CircleOptions

    func run() throws {
        let keychain = try CurrentKeychain.shared()
        if let place {
            let transport = try CirclePlace.transport(place)
            try keychain.place(transport.place.text, options.authorization(of: keychain).token(for: .synchronize))
        }
        let transport = try CirclePlace.transport(of: keychain)
        if acceptOlder { try keychain.acceptOlder(options.authorization(of: keychain).token(for: .synchronize)) }
        let report = try keychain.synchronize(over: transport)
        Console.print(
            json ? SyncText.json(report).text() + "\n" : SyncText.lines(report).joined(separator: "\n") + "\n"
        )
        guard report.isMember || report.isReading else { throw ExitCode(1) }
    }
}

struct RunSynchronization: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Synchronize whenever something changes, until this is ended.",
        discussion: """
            For embedded keychains: as a unit of systemd, say. A keychain that is locked waits for its unlock.
            """
    )

    func run() throws {
        let keychain = try CurrentKeychain.shared()
        // That it has a transport is said at once.
        _ = try CirclePlace.transport(of: keychain)
        var end: KeychainError?
        try SyncCarrier(keychain, isHinted: false) { event in
            switch event {
            case .round(let report) where !report.isEmpty:
                Console.print(report.sentences.joined(separator: "; ") + "\n")
            case .round, .idle: break
            case .failure(let error): Console.printError("\(TerminalText.escaped(error.message))\n")
            }
        }.run { event in
            switch event {
            case .round(let report) where !report.isMember && !report.isReading: end = Self.removed
            case .idle: end = Self.removed
            case .failure(let error) where error.code == .noPermission: end = error
            case .round, .failure: break
            }
            return end != nil
        }
        if let end { throw Failure(end.message) }
    }

    private static let removed = KeychainError(.noPermission, "this device belongs to the circle no more")
}

struct ShowCircle: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say what waits, whom this device has heard and when, whose clock is wrong."
    )

    @Flag(help: "Print it as JSON.")
    var json = false

    func run() throws {
        let status = try CurrentKeychain.shared().status()
        Console.print(
            json ? SyncText.json(status).text() + "\n" : SyncText.lines(status).joined(separator: "\n") + "\n"
        )
    }
}

struct ListDevices: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the devices of the circle, and its recovery keys."
    )

    @Flag(help: "Print them as JSON.")
    var json = false

    func run() throws {
        let status = try CurrentKeychain.shared().status()
        if json {
            Console.print(JSONText.array(status.members.map(SyncText.json)).text() + "\n")
        } else {
            for member in status.members { Console.print(SyncText.line(member) + "\n") }
        }
    }
}
