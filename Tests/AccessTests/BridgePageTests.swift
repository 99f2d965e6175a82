import AccessPages
import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// Items that the Secret Service and the ssh agent keep for other programs.
struct BridgePageTests {
    private let site: PagesSite
    private let cookie: String

    init() throws {
        site = try PagesSite()
        cookie = try site.open()
    }

    @discardableResult
    private func add(
        _ service: String,
        _ account: String,
        label: String? = nil,
        in group: String = "program./usr/bin/chatelaine-secrets"
    ) throws -> PersistentReference {
        var request = AddRequest(itemClass: .genericPassword)
        request.accessGroup = group
        request.attributes[.service] = .string(service)
        request.attributes[.account] = .string(account)
        if let label { request.attributes[.label] = .string(label) }
        request.secrets[.valueData] = SecretBytes([1])
        request.returns = .persistentReference
        return try #require(try site.connection.add(request)).reference
    }

    @Test func `without any, the page says how other programs come to the keychain`() throws {
        let page = site.get("/programs", cookie).text
        #expect(page.contains("chatelaine secrets enable") && page.contains("chatelaine ssh enable"))
    }

    @Test func `collections and ssh keys are listed, and what programs keep for themselves is not`() throws {
        try add("secret-service.collections", "login", label: "Login")
        try add("secret-service.collections", "empty", label: "Empty")
        try add("secret-service.blind/login", "1")
        try add("secret-service.aliases", "default", label: "an alias")
        try add("secret-service.key", "", label: "a key of codes")
        let secret = try add("secret-service.items/login", "1", label: "Token of Evolution")
        try add("chatelaine-ssh-agent", "SHA256:abc", label: "laptop")
        try add("chatelaine-ssh-agent-certificate", "x", label: "a certificate")
        let page = site.get("/programs", cookie).text
        #expect(
            page.contains("Login") && page.contains("1 secret<") && page.contains("Empty") && page.contains("0 secrets")
        )
        #expect(page.contains("laptop") && page.contains("SHA256:abc"))
        let items = site.get("/items", cookie).text
        #expect(items.contains("Token of Evolution") && items.contains("Program’s secret") && items.contains("ssh key"))
        #expect(!items.contains("an alias") && !items.contains("a key of codes") && items.contains("1–3 of 3"))
        let href = try #require(page.firstMatch(of: #/href="(\/items\?query=[^"]*login)"/#)?.1)
        let found = site.get(String(href).replacing("&amp;", with: "&"), cookie).text
        #expect(found.contains("Token of Evolution") && !found.contains("laptop"))

        // Its program finds it by all but its name.
        let form = site.get("\(secret.path)/edit", cookie).text
        #expect(
            form.contains("name=\"name\"") && !form.contains("name=\"service\"") && !form.contains("name=\"group\"")
        )
        _ = try site.post(
            "\(secret.path)/edit",
            cookie,
            [
                ("name", "Renamed"), ("service", "x"), ("account", "x"), ("password", "x"), ("choices", "yes"),
                ("group", "x"),
            ]
        )
        let item = try #require(try site.item(secret))
        #expect(item.attributes[.label] == .string("Renamed"))
        #expect(item.attributes[.service] == .string("secret-service.items/login"))
        #expect(item.attributes[.account] == .string("1"))
        #expect(site.get("\(secret.path)/code/new", cookie).status == 404)
    }

    @Test func `another program hides nothing by calling it a record of the Secret Service`() throws {
        for service in ["secret-service.blind/login", "secret-service.collections", "secret-service.key"] {
            try add(service, "1", label: "Hidden \(service)", in: "org.example.other")
        }
        let items = site.get("/items", cookie).text
        #expect(items.contains("Hidden secret-service.blind") && items.contains("1–3 of 3"))
        #expect(!site.get("/programs", cookie).text.contains("Hidden"))
    }

    @Test func `a collection with a hostile name is text`() throws {
        try add("secret-service.collections", "x", label: "<script>alert(1)</script>")
        try add("secret-service.items/\"><img src=x>", "1")
        let page = site.get("/programs", cookie).text
        #expect(!page.contains("<script>alert") && !page.contains("<img"))
    }

    @Test func `passkeys are listed by their sites, and their secrets are shown to nobody`() throws {
        func add(_ site: String, _ account: String, isShared: Bool, group: String = "chatelaine.passkeys") throws
            -> PersistentReference
        {
            var request = AddRequest(itemClass: .genericPassword)
            request.accessGroup = group
            request.attributes[.service] = .string("webauthn:" + site)
            request.attributes[.account] = .string(account)
            request.attributes[.kindText] = .string("passkey")
            request.attributes[.label] = .string("\(site) (ada)")
            request.isSynchronizable = isShared
            request.secrets[.valueData] = SecretBytes(Array("geheim".utf8))
            request.returns = .persistentReference
            return try #require(try self.site.connection.add(request)).reference
        }
        let passkey = try add("example.com", "AQ", isShared: false)
        _ = try add("<b>.example", "Ag", isShared: true)
        let other = try add("example.net", "Aw", isShared: false, group: "org.example.other")
        let page = self.site.get("/programs", cookie).text
        #expect(page.contains("example.com (ada)") && page.contains("This device") && page.contains("All devices"))
        #expect(!page.contains("<b>") && !page.contains("example.net"))
        let items = self.site.get("/items", cookie).text
        #expect(items.contains("Passkey") && items.contains("example.com (ada)"))
        #expect(!self.site.get(passkey.path, cookie).text.contains("Show "))
        #expect(try self.site.post("\(passkey.path)/reveal", cookie, []).status == 404)
        // Another program's item is what it is.
        #expect(self.site.get(other.path, cookie).status == 200)
    }
}
