import Foundation
import Glibc
import MessageBus

/// The process that owns a name on the bus, as the bus says.
struct NameOwner {
    /// Its unique name.
    let name: String
    let process: UInt32?
    /// The file that it runs, or its name where the file cannot be read.
    let program: String
    /// Whether another file has taken the place of that one since it was started.
    let isReplaced: Bool
    /// Whether it is this service, by its file and not by a name.
    let isService: Bool

    private static let replacedMark = " (deleted)"
    private static let ownFile = "/proc/self/exe"
    /// As the kernel cuts a process's name.
    private static let shortName = String("chatelaine-secrets".prefix(15))

    init?(of name: String, on bus: MessageBus) {
        guard let owner = (try? bus.owner(of: name)) ?? nil else { return nil }
        self.name = owner
        process = bus.process(of: owner)
        let folder = "/proc/\(process.map(String.init) ?? "none")"
        let short = (try? String(contentsOfFile: folder + "/comm", encoding: .utf8))?
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard let file = Self.target(folder + "/exe") else {
            // With the service of the machine this one lets nobody look into it, and no more can be told.
            isService = short == Self.shortName
            isReplaced = false
            program = short ?? "a program"
            return
        }
        let isDeleted = file.hasSuffix(Self.replacedMark)
        program = isDeleted ? String(file.dropLast(Self.replacedMark.count)) : file
        isReplaced = isDeleted
        isService = isDeleted ? program == Self.target(Self.ownFile) : Self.isSameFile(folder + "/exe", Self.ownFile)
    }

    private static func target(_ link: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: link)
    }

    private static func isSameFile(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return unsafe stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev
            && first.st_ino == second.st_ino
    }

    var described: String { process.map { "\(program) (process \($0))" } ?? program }
}
