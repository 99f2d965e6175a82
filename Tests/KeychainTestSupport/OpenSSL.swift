package import Foundation

/// The program `openssl`, which makes certificates and says what is in them, independently of what is tested.
package enum OpenSSL {
    /// An error for a run that failed.
    package struct Failure: Error {
        package let arguments: [String]
    }

    /// Runs the program.
    ///
    /// - Returns: what it writes.
    @discardableResult
    package static func run(_ arguments: [String], in folder: URL, input: Data = Data()) throws -> Data {
        let file = folder.appending(path: "input-\(UUID().uuidString)")
        let output = folder.appending(path: "output-\(UUID().uuidString)")
        try input.write(to: file)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.currentDirectoryURL = folder
        process.standardInput = try FileHandle(forReadingFrom: file)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        process.arguments = ["openssl"] + arguments
        try process.runHearingSignals()
        process.waitForExit()
        guard process.terminationStatus == 0 else { throw Failure(arguments: arguments) }
        return try Data(contentsOf: output)
    }

    /// A certificate that its own key signs, in DER.
    ///
    /// - Parameters:
    ///   - key: what `-newkey` takes, and its options.
    ///   - arguments: more options of `openssl req`.
    package static func certificate(
        _ subject: String,
        key: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
        _ arguments: [String] = []
    ) throws -> Data {
        try inFolder { folder in
            try run(
                ["req", "-x509", "-utf8", "-newkey"] + key
                    + ["-nodes", "-keyout", "key.pem", "-outform", "DER", "-subj", subject] + arguments,
                in: folder
            )
        }
    }

    /// What `openssl x509` prints of a certificate, without the line's end.
    package static func print(_ certificate: Data, _ arguments: [String]) throws -> String {
        try inFolder { folder in
            let bytes = try run(["x509", "-inform", "DER", "-noout"] + arguments, in: folder, input: certificate)
            return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
        }
    }

    /// The public key of a certificate: RSAPublicKey, or the point.
    package static func publicKey(of certificate: Data) throws -> Data {
        try inFolder { folder in
            let pem = try run(["x509", "-inform", "DER", "-noout", "-pubkey"], in: folder, input: certificate)
            if let rsa = try? run(["rsa", "-pubin", "-RSAPublicKey_out", "-outform", "DER"], in: folder, input: pem) {
                return rsa
            }
            // The point is at the end.
            let info = try run(["ec", "-pubin", "-outform", "DER"], in: folder, input: pem)
            return info.count > 150 ? info.suffix(133) : info.count > 100 ? info.suffix(97) : info.suffix(65)
        }
    }

    /// A new private key in the form of its own algorithm.
    ///
    /// - Parameter command: what makes the key.
    package static func privateKey(_ command: [String]) throws -> Data {
        try inFolder { folder in
            let pem = try run(command, in: folder)
            let lines = String(decoding: pem, as: UTF8.self).split(whereSeparator: \.isNewline)
            return Data(base64Encoded: lines.filter { !$0.hasPrefix("-----") }.joined()) ?? Data()
        }
    }

    /// Whether `openssl dgst` takes an ECDSA signature (DER) of a message's SHA-256 by the key of a point on P-256.
    package static func verifies(_ signature: Data, of message: Data, point: Data) throws -> Bool {
        try inFolder { folder in
            // SubjectPublicKeyInfo (RFC 5480) with the curve's name.
            let header: [UInt8] = [
                0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86,
                0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
            ]
            try (Data(header) + point).write(to: folder.appending(path: "key.der"))
            try signature.write(to: folder.appending(path: "signature"))
            let arguments = ["dgst", "-sha256", "-keyform", "DER", "-verify", "key.der", "-signature", "signature"]
            return (try? run(arguments, in: folder, input: message)) != nil
        }
    }

    /// Runs several commands in a folder of their own, which goes afterwards.
    package static func inFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "openssl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }
}
