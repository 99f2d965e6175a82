import Crypto
import Foundation
import KeychainTestSupport
import SwiftASN1
import X509

/// OpenSSL's own revocation server, as a process.
package final class OpenSSLResponder {
    private let folder: URL
    private let process: Process

    /// - Parameters:
    ///   - port: where it listens.
    ///   - revoked: whom it says to be revoked; `good` are good, and all others unknown.
    package init(port: UInt16, of issuer: TestAuthority, good: [TestAuthority], revoked: [TestAuthority]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "responder-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let folder = folder
        func write(_ text: String, _ name: String) throws {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        try write(issuer.certificate.serializeAsPEM().pemString, "issuer.pem")
        try write(issuer.key.pemRepresentation, "issuer.key")
        var lines = ""
        for (holder, status) in good.map({ ($0, "V") }) + revoked.map({ ($0, "R") }) {
            try write(holder.certificate.serializeAsPEM().pemString, "holder.pem")
            let serial = try OpenSSL.run(["x509", "-in", "holder.pem", "-noout", "-serial"], in: folder)
            let number = String(decoding: serial, as: UTF8.self).dropFirst("serial=".count)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let date = status == "R" ? "250101000000Z" : ""
            lines += "\(status)\t400101000000Z\t\(date)\t\(number)\tunknown\t/CN=Subject\n"
        }
        try write(lines, "index.txt")
        try write("unique_subject = no\n", "index.txt.attr")
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        let output = folder.appending(path: "output")
        try Data().write(to: output)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        process.arguments = [
            "openssl", "ocsp", "-port", String(port), "-index", "index.txt", "-CA", "issuer.pem", "-rsigner",
            "issuer.pem", "-rkey", "issuer.key", "-ignore_err",
        ]
        try process.runHearingSignals()
        // Whoever connects to see whether it listens, and then goes, is waited for by it for ever.
        try waitUntil("OpenSSL's server listens") {
            String(decoding: try Data(contentsOf: output), as: UTF8.self).contains("ACCEPT")
        }
    }

    deinit {
        process.terminate()
        process.waitForExit()
        try? FileManager.default.removeItem(at: folder)
    }

    /// A port that nobody listened on a moment ago.
    package static func freePort() throws -> UInt16 { try LoopbackServer().port }
}
