import Foundation
import Testing

/// Programs in C and C++, written from Apple's documentation with nothing of ours in sight, and run as they are.
@Suite("Programs in C and C++")
struct CClientTests {
    private func expectAllIsWell(_ run: CProgram.Run) {
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.hasSuffix("all is well\n"), "\(run.output)")
    }

    @Test func `a C program keeps passwords`() throws {
        expectAllIsWell(try CProgram("CClient/passwords.c").run())
    }

    @Test func `a C++ program keeps passwords`() throws {
        expectAllIsWell(try CProgram("CxxClient/main.cpp").run())
    }

    @Test func `a C program reads, keeps and judges certificates`() throws {
        expectAllIsWell(try CProgram("CClient/certificates.c").run(CertificateFiles().paths))
    }

    @Test func `a C program takes certificates that are odd, and none that says what nobody can read`() throws {
        let names = ["utctime-ahead", "subject-opaque", "ed25519", "key-usage-bytes"]
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let folder = tests.appending(path: "KeychainCertificatesTests/Vectors")
        let paths = names.map { folder.appending(path: "\($0).der").path }
        expectAllIsWell(try CProgram("CClient/certificate-forms.c").run(paths))
    }

    @Test func `a C program makes keys, uses them and reads an identity from OpenSSL's file`() throws {
        expectAllIsWell(try CProgram("CClient/keys.c").run([try CertificateFiles.identity()]))
    }

    @Test func `a C program reads its own entitlements, and has none without a file`() throws {
        let program = try CProgram("CClient/tasks.c")
        let list = try temporaryFolder() + "/program.entitlements"
        try """
        <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
        <key>application-identifier</key><string>TEAM123456.com.example.notes</string>
        <key>com.apple.developer.team-identifier</key><string>TEAM123456</string>
        <key>keychain-access-groups</key>
        <array><string>$(AppIdentifierPrefix)shared</string><string>TEAM123456.own</string></array>
        <key>com.apple.security.app-sandbox</key><true/></dict></plist>
        """.write(toFile: list, atomically: true, encoding: .utf8)
        expectAllIsWell(try CProgram.run(["CHATELAINE_ENTITLEMENTS=" + list, program.executable, "some"]))
        expectAllIsWell(try program.run(["none"]))
    }

    @Test func `a variable names the team that an Xcode project's file leaves open`() throws {
        let program = try CProgram("CClient/tasks.c")
        let list = try temporaryFolder() + "/program.entitlements"
        try """
        <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
        <key>application-identifier</key><string>$(AppIdentifierPrefix)com.example.notes</string>
        <key>keychain-access-groups</key>
        <array><string>$(AppIdentifierPrefix)shared</string><string>$(TeamIdentifierPrefix)own</string></array>
        <key>com.apple.security.app-sandbox</key><true/></dict></plist>
        """.write(toFile: list, atomically: true, encoding: .utf8)
        for team in ["TEAM123456", "TEAM123456."] {
            let variables = ["CHATELAINE_ENTITLEMENTS=" + list, "CHATELAINE_TEAM=" + team]
            expectAllIsWell(try CProgram.run(variables + [program.executable, "some"]))
        }
        for wrong in ["team", "TEAM.1", "*", String(repeating: "A", count: 33)] {
            let variables = ["CHATELAINE_ENTITLEMENTS=" + list, "CHATELAINE_TEAM=" + wrong]
            #expect(try CProgram.run(variables + [program.executable, "some"]).status != 0)
        }
    }

    @Test func `access controls put together by hand are enforced, and refused where they cannot be`() throws {
        let program = try CProgram("CClient/access-controls.c")
        expectAllIsWell(try CProgram.run(["CHATELAINE_PASSCODE=1234", program.executable]))
    }

    @Test func `a C program makes passwords`() throws {
        expectAllIsWell(try CProgram("CClient/generated-passwords.c").run())
    }

    @Test func `keys that a C program implements itself are called, and what they lack is said`() throws {
        expectAllIsWell(try CProgram("CClient/custom-keys.c").run())
    }

    @Test func `no bad dictionary, string or nesting ends a C program`() throws {
        expectAllIsWell(try CProgram("CClient/hostile.c").run())
    }

    @Test func `every function refuses objects of all wrong types, and NULL`() throws {
        expectAllIsWell(try CProgram("CClient/wrong-types.c").run([CertificateFiles().leaf]))
    }

    /// What the compiler says of nothing but the headers.
    private func errors(of compiler: [String]) throws -> [Substring] {
        let source = try temporaryFolder() + "/program.c"
        try "#include <Security/Security.h>\n".write(toFile: source, atomically: true, encoding: .utf8)
        let run = try CProgram.run(compiler + ["-fsyntax-only", source])
        return run.output.split(separator: "\n").filter { $0.contains("error:") }
    }

    private static let hasGCC = (try? CProgram.run(["gcc", "--version"]).status) == 0

    @Test(.enabled(if: hasGCC, "needs gcc"))
    func `a compiler that cannot read the headers is told so, once`() throws {
        let headers = CProgram.headers.filter { !$0.hasPrefix("-f") }
        let errors = try errors(of: ["gcc"] + headers)
        #expect(errors.count == 1, "\(errors)")
        #expect(errors.first?.contains("needs clang") ?? false)
    }

    @Test func `clang without blocks is told what to say`() throws {
        let headers = CProgram.headers.filter { $0 != "-fblocks" }
        let errors = try errors(of: ["clang"] + headers)
        #expect(errors.count == 1, "\(errors)")
        #expect(errors.first?.contains("-fblocks") ?? false)
    }
}
