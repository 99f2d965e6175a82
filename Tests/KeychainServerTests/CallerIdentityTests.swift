import KeychainModel
import KeychainProtocol
import KeychainTrailer
import Testing

@testable import CodeSignature
@testable import KeychainServer

private let team: TeamIdentifier = {
    guard let team = TeamIdentifier("TEAM") else { preconditionFailure("no team") }
    return team
}()
private let digest = ProgramDigest([UInt8](repeating: 0xAB, count: 32))
private let hexadecimal = String(repeating: "ab", count: 32)

private let signature = VerifiedSignature(
    team: team,
    identifier: "TEAM.app",
    groups: ["TEAM.shared", "TEAM.app"],
    digest: digest
)

private func facts(
    path: String = "/usr/bin/program",
    isInRootOwnedPlace: Bool = true,
    isInstalled: Bool = false,
    mode: ServiceIdentity.Mode = .system
) -> ProgramFacts {
    ProgramFacts(
        path: path,
        isInRootOwnedPlace: isInRootOwnedPlace,
        isInstalled: isInstalled,
        deficiencies: isInstalled ? [] : ["it is not installed"],
        mode: mode
    )
}

@Test
func `an installed program has the groups that its team signed`() throws {
    let identity = try CallerIdentity(facts(isInstalled: true), .signed(signature))
    #expect(identity.caller.groups == AccessGroups(["TEAM.shared", "TEAM.app"]))
    #expect(identity.identity.groups == ["TEAM.shared", "TEAM.app"])
    // Its own is the one that it shares with no program.
    #expect(identity.caller.ownGroup == "TEAM.app" && identity.identity.ownGroup == "TEAM.app")
    #expect(identity.identity.name == "TEAM.app")
    #expect(identity.identity.kind == .installed)
    #expect(identity.identity.deficiencies.isEmpty)
}

@Test(arguments: [true, false])
func `a signed program that is not installed has items of its own, and none of the installed one's`(
    _ isInRootOwnedPlace: Bool
) throws {
    let identity = try CallerIdentity(facts(isInRootOwnedPlace: isInRootOwnedPlace), .signed(signature))
    #expect(identity.caller.groups == AccessGroups(["signed-copy." + hexadecimal]))
    #expect(identity.identity.ownGroup == "signed-copy." + hexadecimal)
    #expect(identity.identity.kind == .signed)
    #expect(identity.identity.deficiencies == ["it is not installed"])
    #expect(identity.caller.name != "TEAM.app")
}

@Test(arguments: [true, false])
func `in a session a signed program has its groups`(_ isInstalled: Bool) throws {
    let identity = try CallerIdentity(facts(isInstalled: isInstalled, mode: .session), .signed(signature))
    #expect(identity.caller.groups == AccessGroups(["TEAM.shared", "TEAM.app"]))
    #expect(identity.identity.kind == .signed)
    #expect(identity.identity.mode == .session)
}

@Test
func `passkeys are the program's whose start the kernel vouches for, and no copy's`() throws {
    let path = "/usr/libexec/chatelaine/chatelaine-passkeys"
    func groups(_ facts: ProgramFacts) throws -> AccessGroups {
        try CallerIdentity(facts, .unsigned(digest)).caller.groups
    }
    let own = AccessGroups(["chatelaine.passkeys"])
    #expect(try groups(facts(path: path, isInstalled: true)) == own)
    #expect(try groups(facts(path: "/usr/local/libexec/chatelaine/chatelaine-passkeys", mode: .session)) == own)
    // With a library of the user's own, or under a tracer, it is another program.
    #expect(try groups(facts(path: path)) == AccessGroups(["program." + path]))
    let copy = facts(path: "/home/a" + path, isInRootOwnedPlace: false, mode: .session)
    #expect(try groups(copy) == AccessGroups(["program." + hexadecimal]))
    let other = try CallerIdentity(facts(path: "/usr/bin/chatelaine-passkeys", mode: .session), .unsigned(digest))
    #expect(other.caller.groups == AccessGroups(["program./usr/bin/chatelaine-passkeys"]))
}

@Test(arguments: [ServiceIdentity.Mode.session, .system])
func `an unsigned program is told by its path where only root can put it, and by its contents elsewhere`(
    _ mode: ServiceIdentity.Mode
) throws {
    let placed = try CallerIdentity(facts(mode: mode), .unsigned(digest))
    #expect(placed.caller.groups == AccessGroups(["program./usr/bin/program"]))
    #expect(placed.identity.kind == .unsigned)
    let own = try CallerIdentity(
        facts(path: "/srv/a/program", isInRootOwnedPlace: false, mode: mode),
        .unsigned(digest)
    )
    #expect(own.caller.groups == AccessGroups(["program." + hexadecimal]))
}

@Test(arguments: ["/bin/security", "/libexec/chatelaine/chatelaine-access"])
func `in a session our commands that show items look after all of them, and in system mode after their own`(
    _ place: String
) throws {
    let session = try CallerIdentity(facts(path: "/usr\(place)", mode: .session), .unsigned(digest))
    #expect(session.caller.groups == AccessGroups(["security", "*"]))
    #expect(session.identity.ownGroup == "security")
    let system = try CallerIdentity(facts(path: "/usr\(place)", mode: .system), .unsigned(digest))
    #expect(system.caller.groups == AccessGroups(["program./usr\(place)"]))
    let elsewhere = try CallerIdentity(
        facts(path: "/srv/a\(place)", isInRootOwnedPlace: false, mode: .session),
        .unsigned(digest)
    )
    #expect(elsewhere.caller.groups == AccessGroups(["program." + hexadecimal]))
}

@Test func `in a session chatelaine sees all items, and what it adds is its own`() throws {
    let path = "/usr/bin/chatelaine"
    let session = try CallerIdentity(facts(path: path, mode: .session), .unsigned(digest))
    #expect(session.caller.groups == AccessGroups(["program." + path, "*"]))
    #expect(session.identity.ownGroup == "program." + path)
    let system = try CallerIdentity(facts(path: path, mode: .system), .unsigned(digest))
    #expect(system.caller.groups == AccessGroups(["program." + path]))
    let elsewhere = try CallerIdentity(
        facts(path: "/srv/a/bin/chatelaine", isInRootOwnedPlace: false, mode: .session),
        .unsigned(digest)
    )
    #expect(elsewhere.caller.groups == AccessGroups(["program." + hexadecimal]))
}

@Test(arguments: ["/usr/bin/*", "/usr/b*in/x", "/usr/bin/a\nb", "bin/x", "", "/usr/bin/a\u{7F}"])
func `a path that is no name does not name a program`(_ path: String) throws {
    let identity = try CallerIdentity(facts(path: path), .unsigned(digest))
    #expect(identity.caller.groups == AccessGroups(["program." + hexadecimal]))
    #expect(identity.caller.groups.wildcards.isEmpty)
}

@Test(arguments: [
    TamperReason.malformed(.lengths), .malformed(.otherVersion), .malformed(.team), .signedTwice, .otherContents,
    .forged,
    .unknownTeam(team), .revokedTeam(team), .otherCertificate(team),
    .entitlements(KeychainError(.missingEntitlement, "")),
])
func `a program whose signature is worth nothing is refused, and not taken for an unsigned one`(
    _ reason: TamperReason
) {
    for isInstalled in [true, false] {
        for mode in [ServiceIdentity.Mode.session, .system] {
            #expect(throws: KeychainError(.missingEntitlement, "")) {
                try CallerIdentity(facts(isInstalled: isInstalled, mode: mode), .tampered(reason))
            }
        }
    }
}

@Test
func `an installed program that has lost its signature is refused`() {
    #expect(throws: KeychainError(.missingEntitlement, "")) {
        try CallerIdentity(facts(isInstalled: true), .unsigned(digest))
    }
}

@Test
func `identities of different kinds never share a group`() throws {
    let groups = try [
        CallerIdentity(facts(isInstalled: true), .signed(signature)), CallerIdentity(facts(), .signed(signature)),
        CallerIdentity(facts(), .unsigned(digest)),
        CallerIdentity(facts(isInRootOwnedPlace: false), .unsigned(digest)),
    ].flatMap(\.caller.groups.names)
    #expect(Set(groups).count == groups.count)
}
