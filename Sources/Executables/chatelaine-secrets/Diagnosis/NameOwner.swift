import Foundation
import SessionBus

/// The process that owns a name on the bus, as the bus says.
struct NameOwner {
    /// Its unique name.
    let name: String
    let process: UInt32?
    /// The file that it runs, or its name where the file cannot be read.
    let program: String
    /// Whether another file has taken the place of that one since it was started.
    let isReplaced: Bool

    private static let replacedMark = " (deleted)"

    init?(of name: String, on bus: SessionBus) {
        guard let owner = bus.owner(of: name) else { return nil }
        self.name = owner
        process = bus.process(of: owner)
        let folder = "/proc/\(process.map(String.init) ?? "none")"
        let file = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/exe")
        let short = (try? String(contentsOfFile: folder + "/comm", encoding: .utf8))?
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let isReplaced = file?.hasSuffix(Self.replacedMark) ?? false
        self.isReplaced = isReplaced
        program =
            file.map { isReplaced ? String($0.dropLast(Self.replacedMark.count)) : $0 } ?? short ?? "a program"
    }

    /// Whether it is this service.
    var isService: Bool { (program as NSString).lastPathComponent == "chatelaine-secrets" }

    var described: String { process.map { "\(program) (process \($0))" } ?? program }
}
