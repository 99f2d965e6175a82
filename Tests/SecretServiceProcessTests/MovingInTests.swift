import Foundation
import KeychainTestSupport
import Testing

/// Moving in from gnome-keyring.
@Suite struct MovingInTests {
    @Test func `everything of gnome-keyring's is taken with its attributes, and stays there`() throws {
        let site = try SecretsSite(.session, starts: false)
        let keyring = try GnomeKeyring(site)
        #expect(
            try site.store("eins", label: "Müller", "server a.example user alice xdg:schema org.example.S").status == 0
        )
        #expect(try site.store("zwei\nzeilen", "service s username u").status == 0)
        let taken = try site.run("chatelaine-secrets import")
        #expect(taken.status == 0 && taken.output.contains("2 items of 1 collections"), "\(taken.output)")
        // Once more: nothing is there twice.
        #expect(try site.run("chatelaine-secrets import").status == 0)
        #expect(try site.lookup("user alice").output == "eins")
        try keyring.stop()
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
