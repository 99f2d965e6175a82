import CredentialHelpers
import KeychainModel
import Testing

@Suite struct GitHelperTests {
    private let keychain = emptyKeychain()
    private let host = ["protocol=https", "host=git.example.com"]

    private func store(_ more: String...) -> HelperReply {
        GitHelper.answer("store", secret((host + more).map { $0 + "\n" }.joined()), from: keychain)
    }

    private func get(_ more: String...) -> String {
        GitHelper.answer("get", secret((host + more).map { $0 + "\n" }.joined()), from: keychain).text
    }

    @Test func `what was stored is found, as git's lines`() {
        #expect(store("username=alice", "password=correct horse").exitStatus == 0)
        #expect(get() == "username=alice\npassword=correct horse\n")
        #expect(get("username=alice") == "username=alice\npassword=correct horse\n")
    }

    @Test func `a credential that is unknown is silent and no error`() {
        let reply = keychain.git("get", "protocol=https", "host=git.example.com")
        #expect(reply.text.isEmpty && reply.message.isEmpty && reply.exitStatus == 0)
    }

    @Test func `the item has the attributes that a person looks for`() throws {
        _ = keychain.git(
            "store",
            "protocol=https",
            "host=git.example.com:8443",
            "path=team/repository.git",
            "username=alice",
            "password=p"
        )
        let item = try #require(try keychain.items().first)
        #expect(item.attributes[.server] == .string("git.example.com"))
        #expect(item.attributes[.port] == .integer(8443))
        #expect(item.attributes[.networkProtocol] == .string("htps"))
        #expect(item.attributes[.path] == .string("team/repository.git"))
        #expect(item.attributes[.account] == .string("alice"))
        #expect(item.attributes[.label] == .string("git.example.com"))
        #expect(item.secrets[.valueData]?.plain == "p")
    }

    @Test(arguments: [
        "protocol=http\nhost=git.example.com\n", "protocol=https\nhost=git.example.com:444\n",
        "protocol=https\nhost=evil.example\n", "protocol=https\nhost=git.example.com\nusername=bob\n",
        "protocol=https\nhost=git.example.com\npath=other\n", "protocol=https\nhost=\n", "protocol=https\n",
        "host=git.example.com\n", "protocol=rsync\nhost=git.example.com\n",
        "protocol=https\nhost=git.example.com:99999\n",
    ])
    func `another server, account or path does not get it`(_ request: String) {
        _ = store("username=alice", "password=p")
        let reply = GitHelper.answer("get", secret(request), from: keychain)
        #expect(reply.text.isEmpty && reply.exitStatus == 0)
    }

    @Test func `a credential for a path is given where git asks for the path, and where there is no other`() {
        _ = store("path=a.git", "username=alice", "password=of a path")
        #expect(get("path=a.git") == "username=alice\npassword=of a path\n")
        #expect(get() == "username=alice\npassword=of a path\n")
        _ = store("username=alice", "password=of the server")
        #expect(get() == "username=alice\npassword=of the server\n")
    }

    @Test func `what OAuth helpers add is kept beside the password`() throws {
        _ = store("username=a", "password=p", "password_expiry_utc=1893456000", "oauth_refresh_token=r e f")
        #expect(get() == "username=a\npassword=p\npassword_expiry_utc=1893456000\noauth_refresh_token=r e f\n")
        // The password alone is what `security` shows.
        #expect(try keychain.items().first?.secrets[.valueData]?.plain == "p")
        _ = store("username=a", "password=q")
        #expect(get() == "username=a\npassword=q\n")
    }

    @Test func `storing again replaces, and what is the same is not written`() throws {
        _ = store("username=a", "password=p")
        let before = try #require(try keychain.items().first?.attributes[.modificationDate])
        _ = store("username=a", "password=p")
        #expect(try keychain.items().first?.attributes[.modificationDate] == before)
        _ = store("username=a", "password=q")
        #expect(try keychain.items().count == 1)
        #expect(get() == "username=a\npassword=q\n")
    }

    @Test(arguments: [["ephemeral=1", "username=a", "password=p"], ["password=p"], ["username=a"]])
    func `what is ephemeral or incomplete is not stored`(_ lines: [String]) throws {
        let reply = GitHelper.answer("store", secret((host + lines).joined(separator: "\n")), from: keychain)
        #expect(reply.exitStatus == 0)
        #expect(try keychain.items().isEmpty)
    }

    @Test func `a token of another kind than a password needs git's consent`() {
        _ = store("capability[]=authtype", "authtype=Bearer", "credential=abc", "username=a")
        #expect(get().isEmpty)
        #expect(get("capability[]=authtype", "capability[]=").isEmpty)
        #expect(get("capability[]=authtype") == "capability[]=authtype\nauthtype=Bearer\ncredential=abc\n")
    }

    @Test func `a token without a user's name is kept, given, replaced and erased`() throws {
        let capability = "capability[]=authtype"
        for token in ["one", "two"] {
            #expect(store(capability, "authtype=Bearer", "credential=\(token)").exitStatus == 0)
            #expect(get(capability) == "\(capability)\nauthtype=Bearer\ncredential=\(token)\n")
        }
        #expect(try keychain.items().count == 1)
        // It hides no password from a git that does not understand it.
        #expect(store("username=a", "password=p").exitStatus == 0)
        #expect(get() == "username=a\npassword=p\n")
        let erased = secret((host + [capability, "authtype=Bearer", "credential=two", ""]).joined(separator: "\n"))
        #expect(GitHelper.answer("erase", erased, from: keychain).exitStatus == 0)
        #expect(get(capability) == "username=a\npassword=p\n")
    }

    @Test(arguments: ["smtps", "webdav", "svn", "ldap", "sftp", "pop3s", "rsync+x"])
    func `credentials of every protocol are kept, and of each for itself`(scheme: String) throws {
        let server = ["protocol=\(scheme)", "host=mail.example:99"]
        let stored = secret((server + ["username=a", "password=\(scheme)", ""]).joined(separator: "\n"))
        #expect(GitHelper.answer("store", stored, from: keychain).exitStatus == 0)
        let found = GitHelper.answer("get", secret(server.joined(separator: "\n")), from: keychain)
        #expect(found.text == "username=a\npassword=\(scheme)\n")
        for other in ["https", "smtp", "ftp", "other"] {
            let request = secret("protocol=\(other)\nhost=mail.example:99\n")
            #expect(GitHelper.answer("get", request, from: keychain).text.isEmpty)
        }
    }

    @Test func `only the password that was refused is erased`() throws {
        _ = store("username=a", "password=new")
        _ = keychain.git("erase", "protocol=https", "host=git.example.com", "username=a", "password=old")
        #expect(try keychain.items().count == 1)
        _ = keychain.git("erase", "protocol=https", "host=git.example.com", "username=a", "password=new")
        #expect(try keychain.items().isEmpty)
    }

    @Test(arguments: ["", "protocol=https\n", "username=a\n", "host=git.example.com\n", "protocol=https\nhost=\n"])
    func `an erasure that names no server erases nothing`(_ request: String) throws {
        _ = store("username=a", "password=p")
        #expect(GitHelper.answer("erase", secret(request), from: keychain).exitStatus == 0)
        #expect(try keychain.items().count == 1)
    }

    @Test func `git's items and docker's of one server do not meet`() throws {
        _ = store("username=a", "password=p")
        _ = keychain.docker("store", #"{"ServerURL":"https://git.example.com","Username":"a","Secret":"d"}"#)
        #expect(get() == "username=a\npassword=p\n")
        _ = keychain.git("erase", "protocol=https", "host=git.example.com")
        #expect(keychain.docker("get", "https://git.example.com").exitStatus == 0)
    }

    @Test func `unknown actions and names are ignored`() {
        #expect(keychain.git("fly", "protocol=https").exitStatus == 0)
        _ = store("username=a", "wwwauth[]=Basic", "new-thing=1", "password=p")
        #expect(get("state[]=other:1") == "username=a\npassword=p\n")
        #expect(keychain.git("capability").text == "version 0\ncapability authtype\n")
    }

    @Test func `what follows a blank line is not read`() {
        _ = store("username=a", "password=p")
        let text = "protocol=https\nhost=git.example.com\n\nhost=other.example\nnonsense"
        #expect(GitHelper.answer("get", secret(text), from: keychain).text == "username=a\npassword=p\n")
    }
}

@Suite struct GitAttackTests {
    private let keychain = emptyKeychain()

    @Test(arguments: [
        "protocol=https\nhost=a\0b\n", "protocol=https\nhost=a\u{1b}[2J\n", "protocol=https\nhost=a\rhost=b\n",
        "protocol=https\nhost\n", "=\u{7}", "protocol=https\nhost=a\nusername=a\u{7f}\n",
        "protocol=https\nhost=a\nusername=a\npassword=x\0y\n", "protocol=https\nhost=a\nusername=a\npassword=x\ry\n",
    ])
    func `lines that no answer could repeat are refused at once`(_ text: String) throws {
        for action in ["get", "store", "erase"] {
            let reply = GitHelper.answer(action, secret(text), from: keychain)
            #expect(text.hasPrefix("=") || reply.exitStatus == 1)
            #expect(reply.text.isEmpty)
        }
        #expect(try keychain.items().isEmpty)
    }

    @Test func `a line over git's limit is refused, and one at it is not`() {
        let long = String(repeating: "x", count: GitRequest.longestLine - "password=".utf8.count)
        let head = "protocol=https\nhost=a\nusername=u\n"
        #expect(GitHelper.answer("store", secret(head + "password=\(long)\n"), from: keychain).exitStatus == 0)
        #expect(GitHelper.answer("store", secret(head + "password=\(long)x\n"), from: keychain).exitStatus == 1)
        let flood = String(repeating: "x", count: 10 << 20)
        #expect(GitHelper.answer("get", secret(flood), from: keychain).exitStatus == 1)
    }

    @Test func `text that is no UTF-8 is refused as a name, and kept as a password`() {
        let bytes = Array("protocol=https\nhost=a\nusername=u\npassword=".utf8) + [0xFF, 0xFE]
        #expect(GitHelper.answer("store", SecretBytes(bytes), from: keychain).exitStatus == 0)
        let reply = GitHelper.answer("get", secret("protocol=https\nhost=a\n"), from: keychain)
        #expect(unsafe reply.output.withUnsafeBytes { unsafe Array($0.suffix(3)) } == [0xFF, 0xFE, 0x0A])
        let name = Array("protocol=https\nhost=".utf8) + [0xC0, 0x80, 0x0A]
        #expect(GitHelper.answer("get", SecretBytes(name), from: keychain).exitStatus == 1)
    }

    @Test(arguments: ["two\nlines", "p\0", "p\rhost=evil.example"])
    func `an item that another program has stored says no line of its own`(_ password: String) throws {
        var request = AddRequest(itemClass: .internetPassword)
        request.attributes[.server] = .string("a")
        request.attributes[.networkProtocol] = .string("htps")
        request.attributes[.kindText] = .string(CredentialKind.git.rawValue)
        request.attributes[.account] = .string("u")
        request.secrets = [.valueData: secret(password)]
        _ = try keychain.add(request)
        let reply = GitHelper.answer("get", secret("protocol=https\nhost=a\n"), from: keychain)
        #expect(reply.exitStatus == 1)
        #expect(reply.text.isEmpty)
        #expect(!reply.message.contains("evil"))
    }

    @Test func `an account that another program has stored says no line of its own`() throws {
        var request = AddRequest(itemClass: .internetPassword)
        request.attributes[.server] = .string("a")
        request.attributes[.networkProtocol] = .string("htps")
        request.attributes[.kindText] = .string(CredentialKind.git.rawValue)
        request.attributes[.account] = .string("u\npassword=other")
        request.secrets = [.valueData: secret("p")]
        _ = try keychain.add(request)
        #expect(GitHelper.answer("get", secret("protocol=https\nhost=a\n"), from: keychain).exitStatus == 1)
    }

    @Test func `what a newer version keeps beside a password is an error and no guess`() throws {
        var request = AddRequest(itemClass: .internetPassword)
        request.attributes[.server] = .string("a")
        request.attributes[.networkProtocol] = .string("htps")
        request.attributes[.kindText] = .string(CredentialKind.git.rawValue)
        request.secrets = [.valueData: secret("p"), .clientDefined0: secret("chatelaine-credential 2\n")]
        _ = try keychain.add(request)
        #expect(GitHelper.answer("get", secret("protocol=https\nhost=a\n"), from: keychain).exitStatus == 1)
    }
}
