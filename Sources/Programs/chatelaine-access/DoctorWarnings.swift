import Foundation
import KeychainSystem

/// What `chatelaine doctor` says is wrong.
enum DoctorWarnings {
    /// After which it is ended. It looks at sockets, the kernel and the TPM.
    private static let patience: TimeInterval = 20
    /// How its lines begin that tell of something wrong.
    private static let mark = "  !! "

    /// Runs it, and waits for it. Nothing where it is not there, or does not end.
    static func find() -> [String] {
        guard let folder = OwnProgram.folder else { return [] }
        // As builds and installations have it.
        let places = ["\(folder)/chatelaine", "\(folder)/../../bin/chatelaine"]
        guard let path = places.first(where: FileManager.default.isExecutableFile) else { return [] }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = ["doctor"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return [] }
        let end = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + patience, execute: end)
        defer { end.cancel() }
        // It ends when the program does.
        guard let text = (try? output.fileHandleForReading.readToEnd()).flatMap({ String(data: $0, encoding: .utf8) })
        else { return [] }
        return text.split(separator: "\n").filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
    }
}
