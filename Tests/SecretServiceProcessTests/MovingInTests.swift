import Foundation
import KeychainTestSupport
import Testing

/// Moving in from gnome-keyring.
@Suite struct MovingInTests {
    @Test func `everything of gnome-keyring's is taken with its attributes, and stays there`() throws {
        let site = try SecretsSite(.session, starts: false)
        let keyring = "gnome-keyring-daemon --unlock --components=secrets --control-directory=run"
        // A daemon that kept what this process listens on would keep it waiting.
        let close = "for f in /proc/self/fd/*; do n=${f##*/}; [ $n -gt 2 ] && eval \"exec $n>&-\"; done 2>/dev/null"
        #expect(try site.run("\(close); \(keyring) >/dev/null 2>&1 <<<password").status == 0)
        try site.waitUntil("gnome-keyring") {
            try site.run("chatelaine-secrets status").output.contains("gnome-keyring")
        }
        #expect(
            try site.store("eins", label: "Müller", "server a.example user alice xdg:schema org.example.S").status == 0
        )
        #expect(try site.store("zwei\nzeilen", "service s username u").status == 0)
        let taken = try site.run("chatelaine-secrets import")
        #expect(taken.status == 0 && taken.output.contains("2 items of 1 collections"), "\(taken.output)")
        // Once more: nothing is there twice.
        #expect(try site.run("chatelaine-secrets import").status == 0)
        #expect(try site.lookup("user alice").output == "eins")
        #expect(try site.run("pkill -f '[c]ontrol-directory=run' ; sleep 0.5; chatelaine-secrets status").status == 0)
        try site.start()
        let found = try site.run("secret-tool search --all server a.example").output
        #expect(found.contains("label = Müller") && found.contains("attribute.user = alice"), "\(found)")
        #expect(found.contains("schema = org.example.S") || found.contains("org.example.S"))
        #expect(found.components(separatedBy: "secret = ").count == 2)
        #expect(try site.lookup("service s username u").output == "zwei\nzeilen")
        let own = try site.run("chatelaine-secrets import")
        #expect(own.status == 1 && own.output.contains("already"))
    }
}
