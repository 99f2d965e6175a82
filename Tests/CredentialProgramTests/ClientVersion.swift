import Foundation
import KeychainTestSupport

/// Whether this machine has a command, of a version that the test is about.
///
/// - Parameter question: what makes it say its version.
func isThere(_ command: String, _ question: String = "--version", atLeast major: Int = 0, _ minor: Int = 0) -> Bool {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "\(command) \(question)"]
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.runHearingSignals()) != nil else { return false }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    guard process.waitForExit() == 0 else { return false }
    guard let match = text.firstMatch(of: /([0-9]+)\.([0-9]+)/), let first = Int(match.1), let second = Int(match.2)
    else {
        return false
    }
    return first > major || (first == major && second >= minor)
}
