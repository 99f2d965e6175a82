import EnclaveInterface
import Foundation
import KeychainTestSupport
import Testing

/// Users who hold all connections that the enclave has for owners, while somebody logs in.
@Suite(.enabled(if: LoginSite.obstacle == nil, "\(LoginSite.obstacle ?? "")"), .timeLimit(.minutes(5)))
struct OwnersCrowdTests {
    private let site: LoginSite

    init() throws {
        site = try LoginSite()
        try site.startService()
        try site.setPasscode()
        try site.writePAM(module: Module.path.get())
    }

    enum Who: String, CaseIterable {
        case lent = "users of a namespace"
        case unknown = "users without a keychain"
        case known = "users with keychains"
    }

    private static let users = 4
    private static let connections = 128
    private static let firstKnown: UInt32 = 64_400

    private func crowd(_ who: Who) throws -> Crowd {
        var of = Crowd.Users.lent
        if who == .unknown { of = .own(first: 64_450) }
        if who == .known {
            of = .own(first: Self.firstKnown)
            for uid in Self.firstKnown..<(Self.firstKnown + UInt32(Self.users))
            where !FileManager.default.fileExists(atPath: site.folder + "/enclave/users/\(uid)/keybag") {
                let added = try site.run(
                    "setpriv --reuid \(uid) --regid \(uid) --clear-groups -- chatelaine import /dev/stdin",
                    input: "name,url,username,password\na,https://a.example,b,c\n"
                )
                #expect(added.status == 0, "\(added.errors)")
                #expect(FileManager.default.fileExists(atPath: site.folder + "/enclave/users/\(uid)/keybag"))
            }
        }
        return try Crowd(
            at: site.enclaveSocket,
            .packet,
            users: Self.users,
            of: of,
            connections: Self.connections
        )
    }

    @Test(arguments: Who.allCases)
    func `a crowd of silent connections keeps neither a log-in nor an owner from unlocking`(_ who: Who) throws {
        var (byLogin, byOwner) = (0, 0)
        let rounds = Campaign.rounds(5, sample: 2)
        for _ in 0..<rounds {
            try site.logOut()
            var held: Crowd? = try crowd(who)
            #expect(try held?.counts().made ?? 0 >= Self.users * Self.connections)
            _ = try site.pamtester("authenticate setcred open_session", input: LoginSite.password + "\n")
            held = nil
            byLogin += try site.lock == .unlocked ? 1 : 0
            try site.logOut()
            held = try crowd(who)
            byOwner +=
                try site.asAlice("chatelaine unlock --stdin", input: LoginSite.password + "\n").status == 0 ? 1 : 0
            withExtendedLifetime(held) {}
            held = nil
        }
        #expect(byLogin == rounds)
        #expect(byOwner == rounds)
    }

    @Test func `alone both unlock`() throws {
        try site.logOut()
        _ = try site.pamtester("authenticate setcred open_session", input: LoginSite.password + "\n")
        #expect(try site.lock == .unlocked)
        try site.logOut()
        #expect(try site.asAlice("chatelaine unlock --stdin", input: LoginSite.password + "\n").status == 0)
    }
}
