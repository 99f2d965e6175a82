import Foundation
import KeychainModel
import Testing

@testable import CodeSignature

@Test
func `nobody is trusted where there is no folder`() throws {
    let teams = TrustedTeams(directory: "/nonexistent/teams", owner: .rootOrOneself)
    #expect(try teams.standing(of: #require(TeamIdentifier("ALPHA00001"))) == .unknown)
    #expect(try teams.list().isEmpty)
}

@Test
func `a team is known from its certificate on until it is revoked`() throws {
    let fixture = try SigningFixture()
    let team = fixture.key.team
    #expect(try fixture.teams.standing(of: team) == .trusted(fixture.key.certificate))
    try fixture.teams.revoke(team)
    #expect(try fixture.teams.standing(of: team) == .revoked)
    #expect(throws: KeychainError(.noPermission, "")) { try fixture.teams.add(fixture.key.certificate) }
    #expect(throws: KeychainError(.itemNotFound, "")) { try fixture.teams.revoke(team) }
}

@Test
func `another certificate for a team that is trusted is refused, the same one is no change`() throws {
    let fixture = try SigningFixture()
    try fixture.teams.add(fixture.key.certificate)
    let second = try SigningFixture.key("ALPHA00001")
    #expect(throws: KeychainError(.duplicateItem, "")) { try fixture.teams.add(second.certificate) }
    #expect(try fixture.teams.standing(of: fixture.key.team) == .trusted(fixture.key.certificate))
}

@Test
func `what changes in the folder is seen at the next question`() throws {
    let fixture = try SigningFixture()
    let team = try #require(TeamIdentifier("BETA000002"))
    let path = fixture.teamsFolder + "/BETA000002.pem"
    for _ in 0..<20 {
        #expect(try fixture.teams.standing(of: team) == .unknown)
        let key = try SigningFixture.key("BETA000002")
        try key.certificate.write(to: path)
        #expect(try fixture.teams.standing(of: team) == .trusted(key.certificate))
        let other = try SigningFixture.key("BETA000002")
        // In place: the folder does not change.
        Data(other.certificate.pem.utf8).withUnsafeBytes { bytes in
            let descriptor = open(path, O_WRONLY | O_TRUNC)
            defer { close(descriptor) }
            #expect(write(descriptor, bytes.baseAddress, bytes.count) == bytes.count)
        }
        #expect(try fixture.teams.standing(of: team) == .trusted(other.certificate))
        #expect(unlink(path) == 0)
    }
}

@Test
func `a folder that says the same is read once`() throws {
    let fixture = try SigningFixture()
    // As if it had been made long ago: nothing else tells it from one that may change within its stamp.
    let folder = try TeamFolder(reading: fixture.teamsFolder, owner: .rootOrOneself)
    #expect(try !folder.isCurrent(), "a folder that is younger than two seconds is read again")
    if isRoot {
        let settled = try TeamFolder(reading: "/etc", owner: .root)
        #expect(try settled.isCurrent())
    }
}

@Test
func `a file that names another team than its certificate says nothing`() throws {
    let fixture = try SigningFixture()
    try fixture.key.certificate.write(to: fixture.teamsFolder + "/BETA000002.pem")
    #expect(try fixture.teams.standing(of: #require(TeamIdentifier("BETA000002"))) == .unknown)
    #expect(try fixture.teams.standing(of: fixture.key.team) == .trusted(fixture.key.certificate))
}

@Test
func `files that are no single certificate, or hidden, or links, say nothing`() throws {
    let fixture = try SigningFixture()
    let team = try #require(TeamIdentifier("BETA000002"))
    let certificate = try SigningFixture.key("BETA000002").certificate.pem
    let path = fixture.teamsFolder + "/BETA000002.pem"
    for text in ["", "-----BEGIN CERTIFICATE-----", certificate + certificate, String(repeating: "x", count: 70_000)] {
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(try fixture.teams.standing(of: team) == .unknown)
    }
    #expect(unlink(path) == 0)
    try Data(certificate.utf8).write(to: URL(filePath: fixture.folder + "/elsewhere"))
    #expect(symlink(fixture.folder + "/elsewhere", path) == 0)
    #expect(try fixture.teams.standing(of: team) == .unknown)
    #expect(unlink(path) == 0)
    try Data(certificate.utf8).write(to: URL(filePath: fixture.teamsFolder + "/.BETA000002.pem"))
    try Data(certificate.utf8).write(to: URL(filePath: fixture.teamsFolder + "/BETA000002.PEM"))
    #expect(try fixture.teams.standing(of: team) == .unknown)
}

@Test
func `a file that others can write says nothing`() throws {
    let fixture = try SigningFixture()
    let path = fixture.teamsFolder + "/ALPHA00001.pem"
    for mode in [0o664, 0o646] as [mode_t] {
        #expect(chmod(path, mode) == 0)
        #expect(try fixture.teams.standing(of: fixture.key.team) == .unknown)
    }
    #expect(chmod(path, 0o644) == 0)
    #expect(try fixture.teams.standing(of: fixture.key.team) != .unknown)
}

@Test
func `a folder that others can write, or one above it, stops everything`() throws {
    let fixture = try SigningFixture()
    for (folder, mode) in [(fixture.teamsFolder, 0o777), (fixture.teamsFolder, 0o1777), (fixture.folder, 0o775)] {
        #expect(chmod(folder, mode_t(mode)) == 0)
        #expect(throws: KeychainError(.notAvailable, "")) { try fixture.teams.standing(of: fixture.key.team) }
        #expect(chmod(folder, 0o755) == 0)
    }
    #expect(rename(fixture.teamsFolder, fixture.folder + "/moved") == 0)
    #expect(symlink("moved", fixture.teamsFolder) == 0)
    #expect(throws: KeychainError(.notAvailable, "")) { try fixture.teams.standing(of: fixture.key.team) }
}

@Test(.enabled(if: isRoot, "needs root"))
func `in system mode, another user's folder or file of teams says nothing (as root)`() throws {
    let fixture = try SigningFixture()
    let teams = TrustedTeams(directory: fixture.teamsFolder, owner: .root)
    #expect(try teams.standing(of: fixture.key.team) != .unknown)
    #expect(chown(fixture.teamsFolder + "/ALPHA00001.pem", 65534, 65534) == 0)
    #expect(try teams.standing(of: fixture.key.team) == .unknown)
    #expect(chown(fixture.teamsFolder + "/ALPHA00001.pem", 0, 0) == 0)
    #expect(chown(fixture.teamsFolder, 65534, 65534) == 0)
    #expect(throws: KeychainError(.notAvailable, "")) { try teams.standing(of: fixture.key.team) }
}

@Test
func `a revocation counts whatever is in its file, and beats a certificate`() throws {
    let fixture = try SigningFixture()
    try Data().write(to: URL(filePath: fixture.teamsFolder + "/ALPHA00001.revoked.pem"))
    #expect(try fixture.teams.standing(of: fixture.key.team) == .revoked)
}

@Test
func `a key is read as it was written, and only by its owner`() throws {
    let fixture = try SigningFixture()
    let path = fixture.folder + "/key.pem"
    try fixture.key.write(to: path)
    #expect(try TeamKey(contentsOf: path).certificate == fixture.key.certificate)
    #expect(throws: KeychainError(.duplicateItem, "")) { try fixture.key.write(to: path) }
    #expect(chmod(path, 0o640) == 0)
    #expect(throws: KeychainError(.noPermission, "")) { try TeamKey(contentsOf: path) }
}

@Test
func `a key with another's certificate is none`() throws {
    let fixture = try SigningFixture()
    let other = try SigningFixture.key("ALPHA00001")
    let mixed =
        try #require(fixture.key.pem.components(separatedBy: "-----BEGIN CERTIFICATE").first) + other.certificate.pem
    #expect(throws: KeychainError(.invalidParameter, "")) { try TeamKey(pem: mixed) }
    #expect(throws: KeychainError(.invalidParameter, "")) { try TeamKey(pem: fixture.key.certificate.pem) }
}
