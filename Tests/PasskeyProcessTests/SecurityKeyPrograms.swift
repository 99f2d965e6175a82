import Foundation
import KeychainTestSupport
import Testing

/// Programs that use security keys through libfido2, and a site whose passkeys are the only such key.
///
/// libfido2 is the real one, but for the way to the key: it goes over the site's socket (Client/libfido2_socket.c).
final class SecurityKeyPrograms: SSHSite {
    /// What the programs call the key.
    static let key = "/dev/hidraw-chatelaine"
    private static let real = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
        .map { $0 + "/libfido2.so.1" }
        .first { FileManager.default.fileExists(atPath: $0) }

    /// What stands in the way; nil where nothing does.
    static let obstacle: Comment? = {
        if real == nil || !FileManager.default.fileExists(atPath: "/usr/include/fido.h") {
            return "needs libfido2 and its header"
        }
        for tool in ["fido2-token", "cryptsetup", "systemd-cryptenroll", "pamtester", "cc"] where !has(tool) {
            return "needs \(tool)"
        }
        return nil
    }()

    private static func has(_ tool: String) -> Bool {
        ["/usr/bin/", "/usr/sbin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + tool) }
    }

    let site: PasskeySite
    var folder: String { site.folder }
    var person: ScriptedPinentry { site.person }

    init() throws {
        site = try PasskeySite()
        let real = try #require(Self.real)
        // Under another name of the same length, so that the library in its place can be linked to it.
        let renamed = try Data(contentsOf: URL(filePath: real))
            .replacing(Data("libfido2.so.1".utf8), with: Data("libfidoR.so.1".utf8))
        try renamed.write(to: URL(filePath: folder + "/libfidoR.so.1"))
        let source = PasskeyClient.root + "/Tests/PasskeyProcessTests/Client/libfido2_socket.c"
        let made = try site.run(
            "cc",
            [
                "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-shared", "-fPIC",
                "-Wl,-soname,libfido2.so.1", "-o", folder + "/libfido2.so.1", source, "-L", folder, "-l:libfidoR.so.1",
            ]
        )
        try #require(made.status == 0, "\(made.errors)")
    }

    /// Runs a program for a minute at most.
    @discardableResult
    func run(_ words: String..., input: String = "") throws -> FinishedProgram { try run(words: words, input: input) }

    func run(words: [String]) throws -> FinishedProgram { try run(words: words, input: "") }

    private func run(words: [String], input: String) throws -> FinishedProgram {
        try site.run(
            words[0],
            Array(words.dropFirst()),
            input: input,
            ["LD_LIBRARY_PATH": folder, "SECURITY_KEY_SOCKET": site.socket]
        )
    }

    /// Runs a line of shell, which has to succeed.
    @discardableResult
    func shell(_ line: String) throws -> String {
        let outcome = try run("sh", "-euc", line)
        try #require(outcome.status == 0, "\(line): \(outcome.output)\(outcome.errors)\(site.log)")
        return outcome.output
    }

    func read(_ name: String) throws -> String {
        try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
    }
}
