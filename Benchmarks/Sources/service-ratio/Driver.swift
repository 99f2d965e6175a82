import Foundation
import KeychainSamples

/// A process that runs operations when it is told to, and says how long each took: `service-ratio client`, or
/// Peers/secret-service.c. Its commands are lines of ITEMS RUNS OPERATION, its answers lines of microseconds.
final class Driver {
    private let process = Process()
    private let commands = Pipe()
    private let answers = Pipe()
    private var pending = Data()

    init(_ command: [String], environment: [String: String] = [:]) throws {
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = commands
        process.standardOutput = answers
        process.standardError = FileHandle.standardError
        try process.run()
    }

    var identifier: Int32 { process.processIdentifier }

    func begin(_ operation: String, items: Int, runs: Int) throws {
        try commands.fileHandleForWriting.write(contentsOf: Data("\(items) \(runs) \(operation)\n".utf8))
    }

    /// The times of the command that was begun.
    func finish() throws -> [Double] {
        while true {
            if let end = pending.firstIndex(of: 10) {
                let line = pending[..<end]
                pending = Data(pending[(end + 1)...])
                return String(decoding: line, as: UTF8.self).split(separator: " ").compactMap { Double($0) }
            }
            let more = answers.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Failure("\(process.arguments ?? []) ended early") }
            pending.append(more)
        }
    }

    func run(_ operation: String, items: Int, runs: Int) throws -> [Double] {
        try begin(operation, items: items, runs: runs)
        return try finish()
    }

    func stop() {
        try? commands.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

extension Driver {
    /// Has all run at once, and says how many operations they did a second together.
    static func throughput(_ drivers: [Driver], _ operation: String, items: Int, runs: Int) throws -> Double {
        let duration = try ContinuousClock().measure {
            for driver in drivers { try driver.begin(operation, items: items, runs: runs) }
            for driver in drivers { _ = try driver.finish() }
        }
        return Double(drivers.count * runs) / (duration / .seconds(1))
    }
}
