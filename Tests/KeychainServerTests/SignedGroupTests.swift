import Foundation
import KeychainEngine
import KeychainModel
import KeychainProtocol
import KeychainTestSupport
import Logging
import Testing

@testable import CodeSignature
@testable import KeychainServer

/// Programs that share a keychain, each as the service sees it.
@Suite("Groups of signed programs")
struct SignedGroupTests {
    private let keychain: TestKeychain
    private let engine: KeychainEngine
    private let team: TeamIdentifier

    init() throws {
        keychain = try TestKeychain()
        engine = try KeychainDirectory(path: keychain.path, patience: .seconds(30)).open(log: Logger(label: "test"))
        team = try #require(TeamIdentifier("TEAM"))
    }

    private func facts(_ path: String, isInstalled: Bool, isInRootOwnedPlace: Bool = true) -> ProgramFacts {
        ProgramFacts(
            path: path,
            isInRootOwnedPlace: isInRootOwnedPlace,
            isInstalled: isInstalled,
            deficiencies: [],
            mode: .system
        )
    }

    private func digest(_ byte: UInt8) -> ProgramDigest { ProgramDigest([UInt8](repeating: byte, count: 32)) }

    private func installed(_ identifier: String, _ groups: String..., digest byte: UInt8 = 0) throws -> Caller {
        let signature = VerifiedSignature(
            team: team,
            identifier: identifier,
            groups: groups + [identifier],
            digest: digest(byte)
        )
        return try CallerIdentity(facts("/usr/bin/app", isInstalled: true), .signed(signature)).caller
    }

    private func unsigned(_ path: String, digest byte: UInt8 = 0, isInRootOwnedPlace: Bool = true) throws -> Caller {
        let facts = facts(path, isInstalled: false, isInRootOwnedPlace: isInRootOwnedPlace)
        return try CallerIdentity(facts, .unsigned(digest(byte))).caller
    }

    private func add(_ account: String, in group: String? = nil, as caller: Caller) throws(KeychainError) {
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes["acct"] = .string(account)
        request.accessGroup = group
        request.secrets[.valueData] = SecretBytes(Array(account.utf8))
        _ = try engine.keychain(of: caller).add(request)
    }

    private func count(in group: String? = nil, as caller: Caller) throws(KeychainError) -> Int {
        var query = ItemQuery(itemClass: .genericPassword)
        query.accessGroup = group
        var request = FindRequest(query: query)
        request.limit = .all
        return try engine.keychain(of: caller).find(request).count
    }

    @Test
    func `a new item goes to the first group of the entitlements, and to the program's own without one`() throws {
        let sharing = try installed("TEAM.a", "TEAM.shared")
        try add("shared", as: sharing)
        #expect(try count(in: "TEAM.shared", as: sharing) == 1)
        #expect(try count(in: "TEAM.a", as: sharing) == 0)
        let alone = try installed("TEAM.b")
        try add("own", as: alone)
        #expect(try count(in: "TEAM.b", as: alone) == 1)
    }

    @Test
    func `two programs of a team share a group that both have, and nothing else`() throws {
        let first = try installed("TEAM.a", "TEAM.shared")
        let second = try installed("TEAM.b", "TEAM.shared")
        try add("shared", in: "TEAM.shared", as: first)
        try add("own", in: "TEAM.a", as: first)
        #expect(try count(as: second) == 1)
        #expect(throws: KeychainError(.missingEntitlement, "")) { try count(in: "TEAM.a", as: second) }
        #expect(throws: KeychainError(.missingEntitlement, "")) { try add("x", in: "TEAM.a", as: second) }
    }

    @Test
    func `a program that was given another identifier has lost its own items, and keeps those of a shared group`()
        throws
    {
        let before = try installed("TEAM.old", "TEAM.shared")
        try add("shared", in: "TEAM.shared", as: before)
        try add("own", in: "TEAM.old", as: before)
        let after = try installed("TEAM.new", "TEAM.shared")
        #expect(try count(as: after) == 1)
        // Named as a group, the old identifier is one like any other.
        let remembering = try installed("TEAM.new", "TEAM.shared", "TEAM.old")
        #expect(try count(as: remembering) == 2)
    }

    @Test
    func `a new version of an installed program has the items of the old one`() throws {
        try add("own", as: installed("TEAM.a", digest: 1))
        #expect(try count(as: installed("TEAM.a", digest: 2)) == 1)
    }

    @Test
    func `an unsigned program keeps its items over versions where only root can write, and loses them elsewhere`()
        throws
    {
        try add("own", as: unsigned("/usr/bin/tool", digest: 1))
        #expect(try count(as: unsigned("/usr/bin/tool", digest: 2)) == 1)
        #expect(try count(as: unsigned("/usr/bin/other", digest: 1)) == 0)
        try add("own", as: unsigned("/srv/a/tool", digest: 3, isInRootOwnedPlace: false))
        #expect(try count(as: unsigned("/srv/a/moved", digest: 3, isInRootOwnedPlace: false)) == 1)
        #expect(try count(as: unsigned("/srv/a/tool", digest: 4, isInRootOwnedPlace: false)) == 0)
    }

    @Test
    func `scripts of one interpreter have the same items, since they are the interpreter`() throws {
        try add("of one script", as: unsigned("/usr/bin/python3"))
        #expect(try count(as: unsigned("/usr/bin/python3")) == 1)
    }

    @Test
    func `a program cannot name the private group of another`() throws {
        try add("own", as: unsigned("/usr/bin/tool"))
        let attacker = try unsigned("/srv/a/evil", digest: 9, isInRootOwnedPlace: false)
        for group in ["program./usr/bin/tool", "*", "program.*", "TEAM.shared"] {
            #expect(throws: KeychainError(.missingEntitlement, "")) { try count(in: group, as: attacker) }
            #expect(throws: KeychainError(.missingEntitlement, "")) { try add("x", in: group, as: attacker) }
        }
        #expect(try count(as: attacker) == 0)
    }
}
