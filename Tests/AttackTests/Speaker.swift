import Foundation
import KeychainModel
import KeychainProtocol
import KeychainTestSupport

/// A program that says to a machine's service what a test has written (`Tests/AttackPrograms/speaker.c`): as itself, installed,
/// or as ever another program that nobody has seen before.
final class Speaker {
    /// As anybody has it.
    let program: String
    private let machine: AttackedMachine
    private let folder: String

    init(_ machine: AttackedMachine) throws {
        self.machine = machine
        folder = machine.folder + "/speaker-" + UUID().uuidString.prefix(8)
        program = folder + "/speaker"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try AttackSite.compile(program, ["-static", "speaker.c", "sha256.c"])
    }

    /// The same, signed with the groups and installed by an administrator.
    func installed(_ name: String, groups: [String]) throws -> String {
        let path = folder + "/" + name
        try FileManager.default.copyItem(atPath: program, toPath: path)
        try machine.sign(path, groups: groups)
        return path
    }

    /// Writes a request down.
    ///
    /// - Returns: the file.
    func write(_ request: Request) throws -> String {
        let path = folder + "/" + UUID().uuidString
        try Data(FrameCodec.encode(.request(id: 1, request))).write(to: URL(filePath: path))
        return path
    }

    // MARK: - Speaking

    /// A place for a copy with a digest of its own, which the user who runs it makes.
    func fresh(as uid: UInt32 = AttackSite.user) throws -> [String] {
        let place = folder + "/\(uid)"
        try FileManager.default.createDirectory(
            atPath: place,
            withIntermediateDirectories: true,
            attributes: [.ownerAccountID: uid, .groupOwnerAccountID: uid]
        )
        return [program, "fresh", place + "/" + UUID().uuidString]
    }

    func command(_ words: [String], as uid: UInt32 = AttackSite.user) -> Command {
        let environment = ["SOCKET": machine.socket, "AUTH": machine.site.folder + "/authentication.frame"]
        return machine.command(words, as: uid, environment: environment)
    }

    /// Sends requests over one connection.
    ///
    /// - Parameter words: the program, and what it needs to become another one.
    func send(
        _ requests: [String],
        by words: [String],
        as uid: UInt32 = AttackSite.user
    ) throws -> [Response.Body] {
        let result = try command(words + ["send"] + requests, as: uid).run()
        let answers = try Self.answers(in: String(decoding: result.output, as: UTF8.self))
        guard answers.count == requests.count else { throw AttackFailure(result.errors + machine.logText) }
        return answers
    }

    /// What was printed so far, without that the owner is asked.
    static func answers(in text: String) throws -> [Response.Body] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return try lines.compactMap { line in
            guard line != "asking", line != "done" else { return nil }
            let values = line.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
            let bytes = stride(from: 0, to: values.count - 1, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
            guard case .response(let response) = try FrameCodec.decodeServer(bytes) else {
                throw AttackFailure("no answer: \(line)")
            }
            if case .prompting = response.body { return nil }
            return response.body
        }
    }
}

extension Response.Body {
    /// The error of one operation; nil where it was done.
    var failure: KeychainError.Code? {
        if case .outcome(let outcome) = self { outcome.error?.code } else { nil }
    }

    /// How many items a search has found, or an addition given back.
    var items: Int? {
        if case .outcome(let outcome) = self, case .items(let items) = outcome.answer { items.count } else { nil }
    }
}
