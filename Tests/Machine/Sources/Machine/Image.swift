import Foundation

/// A disk with a distribution on it, its kernel, and the disk that tests bring: scripts/machine-image.sh made them.
package struct Image: Sendable {
    /// As the scripts name it: `debian12`.
    package let name: String
    private let folder: String

    /// Where images are and where machines are run. The scripts say so.
    private static let root = ProcessInfo.processInfo.environment["CHATELAINE_MACHINE_FOLDER"]

    /// - Throws: where nobody has made it.
    package init(_ name: String) throws {
        guard let root = Self.root else { throw Failure("scripts/machine-test.sh runs these tests") }
        self.name = name
        folder = "\(root)/images/\(name)"
        for path in [disk, kernel, initrd, tests] where !FileManager.default.fileExists(atPath: path) {
            throw Failure("there is no \(path)")
        }
    }

    var disk: String { folder + "/disk.raw" }
    var kernel: String { folder + "/vmlinuz" }
    var initrd: String { folder + "/initrd" }
    /// The package, and programs that attack; read-only.
    var tests: String { (Self.root ?? "") + "/tests.raw" }

    /// A folder for one machine's files, empty unless they are kept.
    func workFolder(_ machine: String, isKept: Bool) throws -> String {
        let path = "\(Self.root ?? "")/run/\(name)-\(machine)"
        if isKept { return path }
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// Where what was typed and said goes.
    package func transcriptPath(_ scenario: String) -> String {
        "\(Self.root ?? "")/transcripts/\(name)/\(scenario).txt"
    }
}
