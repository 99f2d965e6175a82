import Foundation
import Glibc
import KeychainTestSupport

/// KWallet on a site's bus, with a wallet that is open. Nobody is there to type a password, so it is opened as at a log-in,
/// by the hash that PAM's module makes.
final class KWallet {
    static let obstacle: String? =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/kwalletd5")
        ? nil : "needs KWallet 5, which scripts/setup.sh --clients installs"

    private let site: SecretsSite
    private var process: Process?

    init(_ site: SecretsSite) throws {
        self.site = site
        let configuration = site.folder + "/home/.config"
        try FileManager.default.createDirectory(atPath: configuration, withIntermediateDirectories: true)
        try """
        [Wallet]
        Enabled=true
        First Use=false
        Default Wallet=kdewallet
        Prompt on Open=false

        [org.freedesktop.secrets]
        apiEnabled=true

        [Auto Allow]
        kdewallet=native

        """.write(toFile: configuration + "/kwalletrc", atomically: true, encoding: .utf8)
        // It makes a wallet, and lists it as a collection when it is started the next time.
        try start()
        try stop()
        try start()
    }

    private func start() throws {
        process = try site.launch(["kwalletd5"], ["QT_QPA_PLATFORM": "offscreen"]).process
        try site.waitForName("org.kde.kwalletd5")
        try site.waitForName("org.freedesktop.secrets")
        let opened = try site.python(Self.calls + "call('pamOpen', 'sayi', 'kdewallet', bytes(range(56)), 0)")
        guard opened.status == 0 else { throw NeverHappened(description: "the wallet: " + opened.output) }
        try waitUntil("the wallet is open") {
            try site.python(Self.calls + "print(call('isOpen', 's', 'kdewallet'))").output == "(True,)\n"
        }
    }

    /// Returns when the name is free.
    func stop() throws {
        guard let process else { return }
        kill(process.processIdentifier, SIGTERM)
        process.waitForExit()
        self.process = nil
        try waitUntil("KWallet has ended") { try !site.hasOwner("org.freedesktop.secrets") }
    }

    /// Keeps a password as KDE's own programs do, in a folder of the wallet.
    func write(_ password: String, to key: String, in folder: String) throws {
        let outcome = try site.python(
            Self.calls
                + """
                handle, = call('open', 'sxs', 'kdewallet', 0, 'native')
                call('createFolder', 'iss', handle, '\(folder)', 'native')
                print(call('writePassword', 'issss', handle, '\(folder)', '\(key)', '\(password)', 'native'))
                """
        )
        guard outcome.output == "(0,)\n" else { throw NeverHappened(description: "the password: " + outcome.output) }
    }

    private static let calls = """
        from jeepney import DBusAddress, new_method_call
        from jeepney.io.blocking import open_dbus_connection
        bus = open_dbus_connection('SESSION')
        wallet = DBusAddress('/modules/kwalletd5', 'org.kde.kwalletd5', 'org.kde.KWallet')
        def call(member, signature, *body):
            return bus.send_and_get_reply(new_method_call(wallet, member, signature, body), timeout=30).body

        """
}
