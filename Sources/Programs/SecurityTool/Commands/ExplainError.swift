import ArgumentParser
import CoreFoundationAliases
import Security
import Terminal

struct ExplainError: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "error",
        abstract: "Explain error codes.",
        discussion: """
            EXAMPLES
              In decimal or hexadecimal:
                security error -25300 0xFFFF9D2C
            """
    )

    static let syntax = OptionSyntax()

    @Argument(help: "The codes, in decimal or hexadecimal.")
    var codes: [String]

    func run() throws {
        for code in codes {
            guard let status = Self.status(code) else {
                throw Failure(
                    "\"\(TerminalText.escaped(code))\" is no code of an error",
                    exitStatus: Console.usageStatus
                )
            }
            let text = SecCopyErrorMessageString(status, nil).map(String.init(describing:)) ?? ""
            try Console.print("Error: \(Hexadecimal.word(UInt32(bitPattern: status))) \(status) \(text)\n")
        }
    }

    private static func status(_ code: String) -> OSStatus? {
        if code.hasPrefix("0x") || code.hasPrefix("0X") {
            return UInt32(code.dropFirst(2), radix: 16).map(OSStatus.init(bitPattern:))
        }
        return OSStatus(code) ?? UInt32(code).map(OSStatus.init(bitPattern:))
    }
}
