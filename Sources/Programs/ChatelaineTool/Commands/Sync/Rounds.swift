import ArgumentParser
import EnclaveInterface
import KeychainClient
import KeychainEngine
import KeychainModel
import KeychainSync
import KeychainSystem
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
        help: ArgumentHelp("The folder from now on: for one that has another place.", valueName: "path"),
        completion: .directory
    )
    var folder: String?

    @Flag(help: "Print what was done as JSON.")
    var json = false

    func run() throws {
        let keychain = try CurrentKeychain.shared()
        if let folder {
            let transport = try CirclePlace.transport(folder)
            try keychain.withCircle { (circle) throws(KeychainError) in try circle.setTransport(transport.path) }
        }
        let transport = try CirclePlace.transport(of: keychain)
        let report = try keychain.withCircle { (circle) throws(KeychainError) in
            try circle.synchronize(over: transport)
        }
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
        let transport = try CirclePlace.transport(of: keychain)
        let circle = try keychain.withCircle { (circle) throws(KeychainError) in try circle.status().circle }
        let changes = try FolderChanges(in: transport, of: circle)
        var lastFailure = ""
        var left = 0
        while true {
            var message = ""
            do throws(KeychainError) {
                let report = try keychain.withCircle { (circle) throws(KeychainError) in
                    try circle.synchronize(over: transport)
                }
                if !report.isEmpty { Console.print(SyncText.lines(report).joined(separator: "; ") + "\n") }
                guard report.isMember || report.isReading else {
                    throw KeychainError(.noPermission, "this device was removed from its circle")
                }
            } catch {
                if error.code == .noPermission || error.code == .itemNotFound { throw Failure(error.message) }
                message = error.message
            }
            // A folder that is away for days is told of once.
            if !message.isEmpty, message != lastFailure { Console.printError("\(TerminalText.escaped(message))\n") }
            lastFailure = message
            try wait(keychain, changes, left: &left)
        }
    }

    /// Until the folder has changed, or this keychain.
    ///
    /// - Parameter left: how many changes the rounds have left, which another one would leave as well.
    private func wait(_ keychain: any CircleKeychain, _ changes: FolderChanges, left: inout Int) throws {
        let end = ContinuousClock.now + .seconds(60)
        repeat {
            let unsent = try? keychain.withCircle { (circle) throws(KeychainError) in try circle.status().unsent }
            if let unsent, unsent != left {
                left = unsent
                if unsent > 0 { return }
            }
            if try changes.wait(until: .now + .seconds(1)) { return }
        } while ContinuousClock.now < end
    }
}

struct ShowCircle: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say what waits, whom this device has heard and when, whose clock is wrong."
    )

    @Flag(help: "Print it as JSON.")
    var json = false

    func run() throws {
        let status = try CurrentKeychain.shared().withCircle { (circle) throws(KeychainError) in try circle.status() }
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
        let status = try CurrentKeychain.shared().withCircle { (circle) throws(KeychainError) in try circle.status() }
        if json {
            Console.print(JSONText.array(status.members.map(SyncText.json)).text() + "\n")
        } else {
            for member in status.members { Console.print(SyncText.line(member) + "\n") }
        }
    }
}
