import Foundation

/// Writes an executable script.
///
/// Another process writes it. The kernel refuses to run a file that any process has open for writing, and a child that
/// another test starts meanwhile inherits this process's descriptors until it becomes its own program.
package func writeProgram(_ text: String, to path: String) throws {
    let writer = Process()
    writer.executableURL = URL(fileURLWithPath: "/bin/sh")
    writer.arguments = ["-c", "printf %s \"$1\" >\"$0\" && chmod 755 \"$0\"", path, text]
    try writer.runHearingSignals()
    guard writer.waitForExit() == 0 else { throw CocoaError(.fileWriteUnknown) }
}
