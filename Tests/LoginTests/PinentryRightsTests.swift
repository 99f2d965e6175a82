import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// What a pinentry is started with by programs that have a capability which an exec hands on.
@Suite(.enabled(if: LoginSite.obstacle == nil, "\(LoginSite.obstacle ?? "")"), .timeLimit(.minutes(3)))
struct PinentryRightsTests {
    private let site: LoginSite
    private var pinentry: String { site.folder + "/pinentry" }
    private var report: String { site.folder + "/reports/rights" }

    /// Numbers that nobody has.
    private static let prompt = 64_025

    init() throws {
        site = try LoginSite()
        try FileManager.default.createDirectory(atPath: site.folder + "/reports", withIntermediateDirectories: true)
        chmod(site.folder + "/reports", 0o777)
        let script = """
            #!/bin/sh
            grep -E '^(Cap|NoNewPrivs)' /proc/$$/status >'\(report)'
            echo OK
            while read -r command rest; do
                case $command in
                    GETPIN) echo 'D \(LoginSite.password.replacingOccurrences(of: " ", with: "%20"))'; echo OK ;;
                    BYE) echo OK; exit 0 ;;
                    *) echo OK ;;
                esac
            done

            """
        try writeProgram(script, to: pinentry)
    }

    private let asAliceWithCapability = [
        "setpriv", "--reuid", "\(LoginSite.alice)", "--regid", "\(LoginSite.alice)", "--clear-groups",
        "--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search", "--",
    ]

    /// Has the owner asked for a note.
    private func readNote(_ environment: String = "") throws {
        let note = "\(environment) guarded-note"
        let written = try site.asAlice("\(note) write hello")
        #expect(written.status == 0, "\(written.output) \(written.errors)")
        try site.wait(for: "the note") { try site.asAlice("\(note) read").output == "hello\n" }
    }

    /// Of the pinentry that was asked.
    private func expectNoRights() throws {
        let lines = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n").map {
            $0.split(whereSeparator: \.isWhitespace).map(String.init)
        }
        #expect(lines.count >= 6)
        for line in lines where line.first != "CapBnd:" {
            if line.first == "NoNewPrivs:" {
                #expect(line.last == "1")
            } else {
                #expect(UInt64(line.last ?? "", radix: 16) == 0, "\(line)")
            }
        }
    }

    @Test func `the agent's pinentry has no capability of the agent's`() throws {
        try site.startService()
        try site.setPasscode()
        _ = try site.start(
            asAliceWithCapability + [site.bin + "/chatelaine", "agent", "--pinentry", pinentry],
            log: "agent"
        )
        try readNote()
        try expectNoRights()
    }

    @Test func `the pinentry of the process that reads fingers has none of its capability`() throws {
        try site.startService(["--prompt-user", "\(Self.prompt)"])
        try site.setPasscode()
        _ = try site.start(
            [
                site.bin + "/chatelaine-prompt", "--user", "\(Self.prompt)", "--socket", site.enclaveSocket,
                "--server", "\(LoginSite.enclave)", "--pinentry", pinentry,
            ],
            log: "prompt"
        )
        try readNote()
        try expectNoRights()
    }

    @Test func `the pinentry of the session's service has no capability of the service's`() throws {
        let own = site.folder + "/own"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        chown(own, LoginSite.alice, LoginSite.alice)
        _ = try site.start(
            asAliceWithCapability + [
                site.bin + "/chatelained", "--session", "--directory", own + "/keychain", "--socket",
                own + "/keychain.sock",
                "--pinentry", pinentry,
            ],
            log: "service"
        )
        try site.wait(for: "the service") { site.log("service").contains("serving keychains") }
        let environment = "CHATELAINE_KEYCHAIN=unix:\(own)/keychain.sock"
        let set = try site.asAlice("\(environment) chatelaine passcode set --stdin", input: LoginSite.password + "\n")
        #expect(set.status == 0, "\(set.errors)")
        try readNote(environment)
        try expectNoRights()
    }
}
