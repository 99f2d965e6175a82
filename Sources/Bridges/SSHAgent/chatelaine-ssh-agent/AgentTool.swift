import Terminal

/// The agent's tool, and how all of its commands print; `AgentTool+Run.swift` runs them.
enum AgentTool {
    static func complain(_ message: String) {
        Console.printError("chatelaine-ssh-agent: \(TerminalText.escaped(message))\n")
    }

    /// Prints lines of our own, in which what others have written was made safe.
    static func print(_ text: String) throws {
        guard Console.write(Array((text + "\n").utf8)) == 0 else { throw Failure("standard output cannot be written") }
    }
}
