import Foundation

/// Many users who hold connections to a socket and say nothing on them (Tests/AttackPrograms/crowd.c). Only root can be
/// so many.
package final class Crowd {
    package enum Users {
        /// Of one user namespace, as /etc/subuid lends them to a user.
        case lent
        /// Of the system, by their numbers from this one on.
        case own(first: UInt32)
    }

    package enum Kind: String {
        case stream
        case packet
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The first of the numbers that are lent.
    package static let firstLent: UInt32 = 2_345_600

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Starts the program, and returns when each user has tried to connect so often.
    package init(at socket: String, _ kind: Kind, users: Int, of: Users, connections: Int) throws {
        let (words, first) =
            switch of {
            case .lent: ("lent", Self.firstLent)
            case .own(let first): ("own", first)
            }
        process.executableURL = URL(filePath: try Self.program.get())
        process.arguments = [socket, kind.rawValue, "\(connections)", words, "\(first)", "\(users)"]
        process.standardInput = input
        process.standardOutput = output
        try process.runHearingSignals()
        guard try line() == "ready" else { throw Failure(description: "the crowd did not come") }
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitForExit()
    }

    /// How many connections there are now, and how many were made.
    package func counts() throws -> (held: Int, made: Int) {
        try input.fileHandleForWriting.write(contentsOf: Data("?\n".utf8))
        let numbers = try line().split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 2 else { throw Failure(description: "the crowd has gone") }
        return (numbers[0], numbers[1])
    }

    private func line() throws -> String {
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8) {
            guard !byte.isEmpty else { break }
            line += byte
        }
        return String(decoding: line, as: UTF8.self)
    }

    private static let program = Result { () throws -> String in
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let path = FileManager.default.temporaryDirectory.path + "/crowd-\(UUID().uuidString)"
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = ["cc", "-O1", "-o", path, sources.appending(path: "AttackPrograms/crowd.c").path]
        try compiler.runHearingSignals()
        guard compiler.waitForExit() == 0 else { throw Failure(description: "crowd.c cannot be compiled") }
        return path
    }
}
