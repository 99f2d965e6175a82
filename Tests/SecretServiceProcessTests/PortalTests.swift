import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// Applications in a sandbox, which get a secret of their own by the portal that is installed here, xdg-desktop-portal.
@Suite(.enabled(if: PortalSite.obstacle == nil, "\(PortalSite.obstacle ?? "")"), .timeLimit(.minutes(5)))
struct PortalTests {
    @Test(arguments: SecretsSite.Keychain.allCases)
    func `an application has one secret of 64 bytes, which stays, and another application has another`(
        keychain: SecretsSite.Keychain
    ) throws {
        let site = try PortalSite(keychain)
        let first = try site.secret(of: "org.example.One")
        #expect(first.count == 64)
        #expect(try site.secret(of: "org.example.One") == first)
        site.secrets.stop()
        try site.secrets.start()
        #expect(try site.secret(of: "org.example.One") == first)
        let other = try site.secret(of: "org.example.Two")
        #expect(other.count == 64 && other != first)
        // No other client of the bus finds them.
        let found = try site.secrets.run("secret-tool search --all xdg:schema org.freedesktop.portal.Secret")
        #expect(!found.output.contains("org.example.One"), "\(found.output)")
        let all = try site.secrets.python(
            """
            import secretstorage
            for collection in secretstorage.get_all_collections(secretstorage.dbus_init()):
                print(collection.collection_path, [item.get_label() for item in collection.get_all_items()])
            """
        )
        #expect(all.status == 0 && !all.output.contains("org.example.One"), "\(all.output)")
    }

    @Test func `a protected collection has nothing to do with the secrets of applications`() throws {
        let site = try PortalSite(.session)
        let first = try site.secret(of: "org.example.One")
        #expect(try site.secrets.run("chatelaine passcode set --stdin", input: "correct horse\n").status == 0)
        #expect(try site.secrets.run("chatelaine-secrets protect login").status == 0)
        // There is nobody who would be asked.
        #expect(try site.secret(of: "org.example.One") == first)
        #expect(try site.secret(of: "org.example.Two").count == 64)
    }

    @Test func `a program that is in no sandbox gets none`() throws {
        let site = try PortalSite(.session)
        let outcome = try site.secrets.python(PortalSite.asks)
        #expect(outcome.status == 0 && outcome.output == "\n", "\(outcome.output)")
    }

    @Test func `a sandbox that anybody makes with an application's marker gets its secret: that is not promised`()
        throws
    {
        let site = try PortalSite(.session)
        let secret = try site.secret(of: "org.example.Victim")
        // Made anew by a program of the user's, from a copy of the portal's client.
        let forged = try Sandbox(of: "org.example.Victim", in: site.secrets.folder)
        let stolen = try site.secrets.run("cp ask.py evil.py; " + forged.line("python3 evil.py"))
        #expect(stolen.output == secret.hexadecimal + "\n", "\(stolen.output)")
        #expect(!FileManager.default.fileExists(atPath: "/.flatpak-info"))
    }
}

/// A session with the portal that is installed here, which uses the backend that our file names.
private final class PortalSite {
    private static let portal = "/usr/libexec/xdg-desktop-portal"

    static let obstacle: String? = {
        guard FileManager.default.isExecutableFile(atPath: portal) else {
            return "needs xdg-desktop-portal, which scripts/setup.sh --tests installs"
        }
        return Sandbox.obstacle
    }()

    let secrets: SecretsSite

    init(_ keychain: SecretsSite.Keychain) throws {
        secrets = try SecretsSite(keychain)
        let portals = secrets.folder + "/portals"
        try FileManager.default.createDirectory(atPath: portals, withIntermediateDirectories: true)
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        try FileManager.default.copyItem(
            atPath: sources.path + "/packaging/portal/chatelaine.portal",
            toPath: portals + "/chatelaine.portal"
        )
        // Read by portals from 1.17 on; older ones take what there is.
        try "[preferred]\norg.freedesktop.impl.portal.Secret=chatelaine\n".write(
            toFile: portals + "/portals.conf",
            atomically: true,
            encoding: .utf8
        )
        try secrets.neverStart("org.freedesktop.portal.Documents")
        _ = try secrets.launch([Self.portal], ["XDG_DESKTOP_PORTAL_DIR": portals, "XDG_CURRENT_DESKTOP": "none"])
        try secrets.waitForName("org.freedesktop.portal.Desktop")
    }

    /// Prints the secret in hexadecimal digits.
    static let asks = """
        import os, select
        from jeepney import DBusAddress, HeaderFields, new_method_call
        from jeepney.io.blocking import open_dbus_connection
        bus = open_dbus_connection('SESSION', enable_fds=True)
        reading, writing = os.pipe()
        to = DBusAddress('/org/freedesktop/portal/desktop', 'org.freedesktop.portal.Desktop',
                         'org.freedesktop.portal.Secret')
        reply = bus.send_and_get_reply(new_method_call(to, 'RetrieveSecret', 'ha{sv}', (writing, {})), timeout=30)
        assert HeaderFields.error_name not in reply.header.fields, reply.body
        os.close(writing)
        assert select.select([reading], [], [], 30)[0], 'no answer'
        print(os.read(reading, 100).hex())

        """

    /// What an application in a sandbox is given.
    func secret(of application: String) throws -> Data {
        let sandbox = try Sandbox(of: application, in: secrets.folder)
        try Data(Self.asks.utf8).write(to: URL(filePath: secrets.folder + "/ask.py"))
        let outcome = try secrets.run(sandbox.line("python3 ask.py"))
        guard outcome.status == 0, let secret = Data(hexadecimal: outcome.output.dropLast()) else {
            throw NeverHappened(description: "the secret: " + outcome.output)
        }
        return secret
    }
}

extension Data {
    fileprivate var hexadecimal: String { map { String(format: "%02x", $0) }.joined() }

    fileprivate init?(hexadecimal text: some StringProtocol) {
        let digits = Array(text)
        guard digits.count.isMultiple(of: 2) else { return nil }
        self.init()
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(digits[index...index + 1]), radix: 16) else { return nil }
            append(byte)
        }
    }
}
