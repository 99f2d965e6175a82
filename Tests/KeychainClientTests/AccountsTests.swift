import Glibc
import KeychainAccounts
import Testing

@Suite("Users, groups and their places")
struct AccountsTests {
    @Test func `root is found by name and by number`() throws {
        for root in [UserAccount(uid: 0), UserAccount(name: "root"), UserAccount(nameOrNumber: "0")] {
            let root = try #require(root)
            #expect(root.uid == 0 && root.gid == 0)
            #expect(root.name == "root" && root.exactName == "root")
            #expect(root.home == "/root")
        }
        #expect(GroupAccount.gid(named: "root") == 0)
    }

    @Test func `a name that nobody has is nobody, and such a number has its own group`() throws {
        #expect(UserAccount(name: "no-such-user")?.uid == nil)
        #expect(UserAccount(nameOrNumber: "no-such-user")?.uid == nil)
        #expect(GroupAccount.gid(named: "no-such-group") == nil)
        #expect(UserAccount(uid: 3_999_999_999)?.uid == nil)
        let stranger = try #require(UserAccount(nameOrNumber: "3999999999"))
        #expect(stranger.uid == 3_999_999_999 && stranger.gid == 3_999_999_999 && stranger.name == nil)
    }

    @Test func `the keychain's place follows the variables, and the user database without them`() {
        let usual = ".local/share/chatelaine/keychain"
        #expect(PersonalPlaces.keychain { ["XDG_DATA_HOME": "/data"][$0] } == "/data/chatelaine/keychain")
        #expect(PersonalPlaces.keychain { ["XDG_DATA_HOME": "data", "HOME": "/h"][$0] } == "/h/" + usual)
        #expect(PersonalPlaces.keychain { ["HOME": "h"][$0] } == nil)
        let home = UserAccount(uid: geteuid())?.home
        #expect(PersonalPlaces.keychain { _ in nil } == home.map { $0 + "/" + usual })
    }

    @Test func `a runtime folder that is no absolute path is ignored`() {
        #expect(PersonalPlaces.socket(in: "/run/x", otherwise: "/run/user/1") == "/run/x/chatelaine/keychain.sock")
        for folder in [nil, "", "x"] {
            #expect(PersonalPlaces.socket(in: folder, otherwise: "/r") == "/r/chatelaine/keychain.sock")
        }
    }
}
