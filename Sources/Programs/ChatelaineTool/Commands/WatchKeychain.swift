import ArgumentParser
import KeychainClient
import KeychainModel
import KeychainProtocol
import Terminal

struct WatchKeychain: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Say what happens to the keychain, until it is stopped.",
        discussion: """
            A line for each lock and unlock, and for each item of this program's access groups that is added, updated or \
            deleted. The first line says how it stands now. No line has an attribute or a value.
            """
    )

    @Option(help: ArgumentHelp("The service's socket; without it, the one that programs would use.", valueName: "path"))
    var socket: String?

    @Flag(help: "Print a line of JSON for each.")
    var json = false

    func run() throws {
        try ServiceConnection(try ServiceChoice.address(socket)).watch { event in
            Console.print((json ? Self.json(event) : Self.readable(event)) + "\n")
            return true
        }
    }

    private static func readable(_ event: KeychainEvent) -> String {
        switch event {
        case .lockState(let state): state.rawValue
        case .item(let change, let reference, let group):
            "\(change.rawValue) \(reference.itemClass.rawValue) \(hexadecimal(reference)) \(TerminalText.escaped(group))"
        case .missed: "missed: this program did not read in time"
        case .circleChange: "circle"
        }
    }

    private static func json(_ event: KeychainEvent) -> String {
        let members: [(key: String, value: JSONText)] =
            switch event {
            case .lockState(let state): [("event", .string("lock-state")), ("state", .string(state.rawValue))]
            case .item(let change, let reference, let group):
                [
                    ("class", .string(reference.itemClass.rawValue)), ("event", .string(change.rawValue)),
                    ("group", .string(group)), ("reference", .string(hexadecimal(reference))),
                ]
            case .missed: [("event", .string("missed"))]
            case .circleChange: [("event", .string("circle"))]
            }
        return JSONText.object(members).line
    }

    /// The bytes of kSecValuePersistentRef.
    private static func hexadecimal(_ reference: PersistentReference) -> String {
        reference.bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0" + digits : digits
        }.joined()
    }
}
