import Foundation
import KeychainTestSupport
import Testing

/// Keychains that earlier versions of the commands have made (`scripts/golden.sh`): every later version opens them.
///
/// One test after the other: copies of one keychain have one keybag, and so share whether they are unlocked.
@Suite("Keychains that were made before", .serialized)
struct GoldenKeychainTests {
    /// One folder for each version of a file's format.
    static let versions = ["database-1", "database-2"]

    private static let folder = Bundle.module.resourceURL.map { $0.appending(path: "Keychains") }

    /// A copy of a kept keychain, as one that came from another machine.
    private func keychain(_ name: String, of version: String) throws -> Sandbox {
        let sandbox = try Sandbox()
        let kept = try #require(Self.folder).appending(path: "\(version)/\(name)")
        try FileManager.default.createDirectory(atPath: sandbox.keychain, withIntermediateDirectories: true)
        chmod(sandbox.keychain, 0o700)
        for file in try FileManager.default.contentsOfDirectory(atPath: kept.path) {
            let copy = sandbox.keychain + "/" + file
            try FileManager.default.copyItem(atPath: kept.appending(path: file).path, toPath: copy)
            chmod(copy, 0o600)
        }
        try expect(sandbox, "chatelaine adopt-keychain --directory '\(sandbox.keychain)'")
        return sandbox
    }

    /// - Returns: what was printed.
    @discardableResult
    private func expect(
        _ sandbox: Sandbox,
        _ line: String,
        input: String? = nil,
        status: Int32 = 0,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> String {
        let outcome = try sandbox.run(line, input: input)
        #expect(outcome.status == status, "\(line): \(outcome.errors)", sourceLocation: location)
        return outcome.output
    }

    private func value(_ sandbox: Sandbox, _ query: String) throws -> String {
        try expect(sandbox, "security find-generic-password \(query) -w")
    }

    /// Whatever it is, it is whole, and takes what is new.
    private func isUsable(_ sandbox: Sandbox) throws {
        #expect(try expect(sandbox, "security verify-keychain").contains("The keychain is whole."))
        try expect(sandbox, "security add-generic-password -s new -a new -w new")
        try expect(sandbox, "security add-generic-password -U -s new -a new -w newer")
        #expect(try value(sandbox, "-s new -a new") == "newer\n")
        try expect(sandbox, "security delete-generic-password -s new -a new")
        #expect(try expect(sandbox, "security verify-keychain").contains("The keychain is whole."))
    }

    private func hasPasswords(_ sandbox: Sandbox) throws {
        #expect(try value(sandbox, "-s mail -a alice") == "golden password\n")
        #expect(try value(sandbox, "-l Mail") == "golden password\n")
        // As on macOS, what is not ASCII is printed in hexadecimal.
        #expect(try value(sandbox, "-s mail -a bob") == "47c3b66c64656e\n")
        #expect(try value(sandbox, "-s 'all of it'") == "\n")
        let attributes = try expect(sandbox, "security find-generic-password -s mail -a alice")
        #expect(attributes.contains("a comment"))
        let internet = "security find-internet-password -s example.org -r htps -P 8443 -p /path -w"
        #expect(try expect(sandbox, internet) == "internet password\n")
    }

    @Test(arguments: versions)
    func `one without a passcode opens with all that it held`(version: String) throws {
        let sandbox = try keychain("passwords", of: version)
        try hasPasswords(sandbox)
        try isUsable(sandbox)
    }

    @Test(arguments: versions.filter { $0 != "database-1" })
    func `one of a circle of devices knows what it knew, and goes on`(version: String) throws {
        let sandbox = try keychain("circle", of: version)
        let status = try expect(sandbox, "chatelaine sync status --json")
        for line in ["\"member\": true", "\"items\": 1", "\"unsent\": 1"] {
            #expect(status.contains(line), "\(status)")
        }
        #expect(try expect(sandbox, "chatelaine history bob").contains("replaced"))
        let now = try expect(sandbox, "mkdir folder && chatelaine sync now --folder folder")
        #expect(now.contains("1 item sent"))
        let deletion = "security delete-generic-password -s mail -a carol && chatelaine sync now"
        #expect(try expect(sandbox, deletion).contains("1 item sent"))
        try isUsable(sandbox)
    }

    @Test(arguments: versions)
    func `one with a passcode is locked, and opens with that alone`(version: String) throws {
        let sandbox = try keychain("passcode", of: version)
        try expect(sandbox, "chatelaine lock")
        try expect(sandbox, "security find-generic-password -s mail -a alice -w", status: 36)
        try expect(sandbox, "chatelaine unlock --stdin", input: "wrong\n", status: 1)
        try expect(sandbox, "chatelaine unlock --stdin", input: "golden passcode\n")
        try hasPasswords(sandbox)
        try isUsable(sandbox)
    }

    @Test(arguments: versions)
    func `an item that demands its owner opens for the owner alone`(version: String) throws {
        let sandbox = try keychain("passcode", of: version)
        try expect(sandbox, "chatelaine unlock --stdin", input: "golden passcode\n")
        try expect(sandbox, "CHATELAINE_PINENTRY=/bin/false guarded-note read", status: 1)
        let person = try ScriptedPinentry(.no, .secret("golden passcode"))
        try expect(sandbox, "CHATELAINE_PINENTRY='\(person.path)' guarded-note read", status: 1)
        #expect(try expect(sandbox, "CHATELAINE_PINENTRY='\(person.path)' guarded-note read") == "golden note\n")
        #expect(person.dialogs == 2)
    }

    @Test(arguments: versions)
    func `a private key of the Secure Enclave still signs`(version: String) throws {
        let sandbox = try keychain("enclave-key", of: version)
        try expect(sandbox, "security create-certificate-request --purpose clientAuth -o request.pem 'golden key'")
        try expect(sandbox, "openssl req -in request.pem -verify -noout")
        try expect(sandbox, "security export -t privKeys -o key.pem", status: 44)
        try isUsable(sandbox)
    }

    @Test(arguments: versions)
    func `a certificate and its private key are an identity`(version: String) throws {
        let sandbox = try keychain("certificates", of: version)
        let found = try expect(sandbox, "security find-identity")
        #expect(found.contains("\"golden identity\"") && found.contains("1 identities found"))
        try expect(sandbox, "security find-certificate -p > certificate.pem")
        try expect(sandbox, "security create-certificate-request --purpose clientAuth -o request.pem 'golden identity'")
        try expect(sandbox, "openssl req -in request.pem -verify -noout")
        try expect(sandbox, "openssl req -in request.pem -pubkey -noout > one")
        try expect(sandbox, "openssl x509 -in certificate.pem -pubkey -noout > other && cmp one other")
        try isUsable(sandbox)
    }

    @Test(arguments: versions)
    func `one with a thousand items has them all`(version: String) throws {
        let sandbox = try keychain("thousand", of: version)
        let list = try expect(sandbox, "security list").split(separator: "\n")
        // With the line of the headings.
        #expect(list.count == 1_001)
        for number in [1, 500, 1_000] {
            #expect(try value(sandbox, "-s service-\(number) -a account-\(number)") == "value-\(number)\n")
        }
        try isUsable(sandbox)
    }
}
