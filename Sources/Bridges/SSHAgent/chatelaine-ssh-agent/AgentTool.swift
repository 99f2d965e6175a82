import Terminal

/// The agent's tool, and how all of its commands print; `AgentTool+Run.swift` runs them.
enum AgentTool {
    static let name = "chatelaine-ssh-agent"

    static func complain(_ message: String) {
        Console.complain(message, as: name)
    }

    /// Prints lines of our own, in which what others have written was made safe.
    static func print(_ text: String) throws {
        try Console.writeAll(Array((text + "\n").utf8))
    }
}
