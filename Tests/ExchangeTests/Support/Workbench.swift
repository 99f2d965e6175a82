import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

/// A folder in which other programs write files that are read here, and the other way round.
final class Workbench {
    struct Failure: Error {
        let command: [String]
        let output: String
    }

    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "exchange-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs a program in the folder, with nothing to read.
    ///
    /// - Returns: what it writes.
    @discardableResult
    func run(_ command: String...) throws -> String {
        try run(command)
    }

    @discardableResult
    func run(_ command: [String]) throws -> String {
        let log = folder.appending(path: "log-\(UUID().uuidString)")
        try Data().write(to: log)
        let handle = try FileHandle(forWritingTo: log)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        process.arguments = command
        try process.runHearingSignals()
        let status = process.waitForExit()
        let output = String(decoding: try Data(contentsOf: log), as: UTF8.self)
        guard status == 0 else { throw Failure(command: command, output: output) }
        return output
    }

    func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: name)))
    }

    func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: folder.appending(path: name))
    }

    static func has(_ program: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }
}

/// Alice, her key, and who signed her certificate, as files of a workbench: alice.key and alice.pem, authority.pem.
struct Alice {
    let bench: Workbench
    /// A PrivateKeyInfo.
    let privateKey: [UInt8]
    let certificate: [UInt8]
    let authority: [UInt8]

    init() throws {
        bench = try Workbench()
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        try bench.run(
            ["openssl", "req", "-x509", "-keyout", "authority.key", "-out", "authority.pem", "-subj", "/CN=Authority"]
                + curve
        )
        try bench.run(
            ["openssl", "req", "-x509", "-keyout", "alice.key", "-out", "alice.pem", "-subj", "/CN=Alice"] + curve
                + ["-CA", "authority.pem", "-CAkey", "authority.key"]
        )
        try bench.run(
            "openssl",
            "pkcs8",
            "-topk8",
            "-nocrypt",
            "-in",
            "alice.key",
            "-outform",
            "DER",
            "-out",
            "alice.p8"
        )
        for name in ["alice", "authority"] {
            try bench.run("openssl", "x509", "-in", "\(name).pem", "-outform", "DER", "-out", "\(name).der")
        }
        privateKey = try bench.read("alice.p8")
        certificate = try bench.read("alice.der")
        authority = try bench.read("authority.der")
    }
}

extension SecretBytes {
    var array: [UInt8] { withUnsafeBytes { Array($0) } }

    convenience init(_ text: String) { self.init(Array(text.utf8)) }
}

/// A file of the folder Vectors.
func vector(_ name: String) throws -> [UInt8] {
    let folder = try #require(Bundle.module.url(forResource: "Vectors", withExtension: nil))
    return Array(try Data(contentsOf: folder.appending(path: name)))
}

/// What the first PEM block of a text contains, by Foundation's decoder of base64.
func unarmoured(_ text: [UInt8]) throws -> [UInt8] {
    let lines = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
    let begin = try #require(lines.firstIndex { $0.hasPrefix("-----BEGIN ") })
    let end = try #require(lines.firstIndex { $0.hasPrefix("-----END ") })
    return Array(try #require(Data(base64Encoded: lines[(begin + 1)..<end].joined())))
}
