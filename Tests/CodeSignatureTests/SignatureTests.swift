import Crypto
import Foundation
import KeychainModel
import KeychainTrailer
import Testing

@testable import CodeSignature

@Test
func `a signed program has the groups of its entitlements, in their order, then its identifier`() throws {
    let fixture = try SigningFixture()
    let entitlements = try SigningFixture.entitlements(
        groups: ["ALPHA00001.shared", "ALPHA00001.more"],
        others: ["com.apple.security.application-groups": ["ALPHA00001.group"]]
    )
    guard case .signed(let signature) = try fixture.verdict(on: fixture.signed(entitlements: entitlements)) else {
        Issue.record("it is not taken for signed")
        return
    }
    #expect(signature.groups == ["ALPHA00001.shared", "ALPHA00001.more", "ALPHA00001.app", "ALPHA00001.group"])
    #expect(signature.identifier == "ALPHA00001.app")
    #expect(signature.team.description == "ALPHA00001")
}

@Test
func `an unsigned program is told by its contents`() throws {
    let fixture = try SigningFixture()
    let verdict = try fixture.verdict(on: SigningFixture.program())
    #expect(try verdict == fixture.verdict(on: SigningFixture.program()))
    #expect(try verdict != fixture.verdict(on: SigningFixture.program(2)))
    #expect(
        try fixture.verdict(on: Array("\u{7F}ELF".utf8))
            == .unsigned(ProgramDigest(Array(SHA256.hash(data: Data("\u{7F}ELF".utf8)))))
    )
}

@Test
func `the same program signed with other entitlements is another file`() throws {
    let fixture = try SigningFixture()
    let other = try SigningFixture.entitlements(groups: ["ALPHA00001.other"])
    guard case .signed(let first) = try fixture.verdict(on: fixture.signed()),
        case .signed(let second) = try fixture.verdict(on: fixture.signed(entitlements: other))
    else {
        Issue.record("they are not taken for signed")
        return
    }
    #expect(first.digest != second.digest)
}

@Test
func `a signature is of the program that it was made for, up to its last byte`() throws {
    let fixture = try SigningFixture()
    let program = SigningFixture.program()
    let signed = try fixture.signed(program)
    for position in [4, 5000, program.count - 1] {
        var changed = signed
        changed[position] ^= 1
        #expect(try fixture.verdict(on: changed) == .tampered(.otherContents))
    }
}

@Test
func `no byte of a signature can be changed`() throws {
    let fixture = try SigningFixture()
    let program = SigningFixture.program(count: 64)
    let signed = try fixture.signed(program)
    #expect(try fixture.verdict(on: signed).isSigned)
    for position in program.count..<signed.count {
        var changed = signed
        changed[position] ^= 0x01
        let verdict = try fixture.verdict(on: changed)
        #expect(!verdict.isSigned, "byte \(position - program.count)")
        // Only what is no mark any more makes an unsigned program of it, which is another one than the unsigned original.
        if position < signed.count - 24 { #expect(verdict.isTampered, "byte \(position - program.count)") }
    }
}

@Test
func `a signature that was cut off, in whole or in part, is none`() throws {
    let fixture = try SigningFixture()
    let program = SigningFixture.program(count: 64)
    let signed = try fixture.signed(program)
    for count in program.count..<signed.count {
        #expect(try !fixture.verdict(on: Array(signed.prefix(count))).isSigned, "\(count)")
    }
}

@Test
func `bytes behind a signature make an unsigned program, and none that was there before`() throws {
    let fixture = try SigningFixture()
    let signed = try fixture.signed()
    let extended = try fixture.verdict(on: signed + [0])
    #expect(!extended.isSigned)
    #expect(try extended != fixture.verdict(on: SigningFixture.program()))
}

@Test
func `another program's signature is none`() throws {
    let fixture = try SigningFixture()
    let program = SigningFixture.program()
    let trailer = try fixture.signed(program).dropFirst(program.count)
    #expect(try fixture.verdict(on: SigningFixture.program(2) + trailer) == .tampered(.otherContents))
    #expect(try fixture.verdict(on: SigningFixture.program(count: 11_000) + trailer) == .tampered(.malformed(.lengths)))
}

@Test
func `a program with two signatures is refused, whoever made the second`() throws {
    let fixture = try SigningFixture()
    let signed = try fixture.signed()
    #expect(try fixture.verdict(on: signed + signed.dropFirst(10_000)) == .tampered(.malformed(.lengths)))
    let second = try SigningFixture.key("BETA000002")
    try fixture.teams.add(second.certificate)
    let entitlements = try SigningFixture.entitlements(team: "BETA000002", identifier: "BETA000002.app", groups: [])
    let twice = try signed + fixture.uncheckedTrailer(for: signed, entitlements: entitlements, signedBy: second)
    #expect(try fixture.verdict(on: twice) == .tampered(.signedTwice))
}

@Test
func `entitlements of an attacker's own are not the team's`() throws {
    let fixture = try SigningFixture()
    let program = SigningFixture.program()
    let trailer = try fixture.trailer(of: fixture.signed(program))
    let more = try SigningFixture.entitlements(groups: ["ALPHA00001.shared", "ALPHA00001.secret"])
    #expect(try fixture.verdict(on: program + trailer.with(entitlements: more).bytes) == .tampered(.forged))
}

@Test
func `a team that nobody trusts gives nothing, whatever it calls itself`() throws {
    let fixture = try SigningFixture()
    let program = SigningFixture.program()
    let stranger = try SigningFixture.key("GAMMA00003")
    let own = try SigningFixture.entitlements(team: "GAMMA00003", identifier: "GAMMA00003.app", groups: [])
    let unknown = try fixture.uncheckedTrailer(for: program, entitlements: own, signedBy: stranger)
    #expect(try fixture.verdict(on: program + unknown) == .tampered(.unknownTeam(stranger.team)))

    let impostor = try SigningFixture.key("ALPHA00001")
    let forged = try fixture.uncheckedTrailer(
        for: program,
        entitlements: SigningFixture.entitlements(),
        signedBy: impostor
    )
    #expect(try fixture.verdict(on: program + forged) == .tampered(.otherCertificate(impostor.team)))
}

@Test
func `the team's own certificate beside another key's signature is worth nothing`() throws {
    let fixture = try SigningFixture()
    let program = SigningFixture.program()
    let impostor = try SigningFixture.key("ALPHA00001")
    let measured = try ProgramMeasurement(of: program, in: fixture)
    let unsigned = ProgramTrailer(
        programLength: UInt64(program.count),
        digest: measured.programDigest,
        entitlements: try SigningFixture.entitlements(),
        team: "ALPHA00001",
        certificate: fixture.key.certificate.der,
        signature: []
    )
    let forged = ProgramTrailer(
        programLength: unsigned.programLength,
        digest: unsigned.digest,
        entitlements: unsigned.entitlements,
        team: unsigned.team,
        certificate: unsigned.certificate,
        signature: try impostor.sign(unsigned.signedMessage)
    )
    #expect(try fixture.verdict(on: program + forged.bytes) == .tampered(.forged))
}

@Test
func `one trusted team cannot sign in another's name`() throws {
    let fixture = try SigningFixture()
    let program = SigningFixture.program()
    let other = try SigningFixture.key("BETA000002")
    try fixture.teams.add(other.certificate)
    let stolen = try fixture.uncheckedTrailer(
        for: program,
        entitlements: SigningFixture.entitlements(),
        signedBy: other
    )
    #expect(
        try fixture.verdict(on: program + stolen)
            == .tampered(.entitlements(KeychainError(.missingEntitlement, "")))
    )
    let renamed = try fixture.trailer(of: program + stolen).with(team: "ALPHA00001")
    #expect(try fixture.verdict(on: program + renamed.bytes) == .tampered(.otherCertificate(fixture.key.team)))
}

@Test
func `programs of a revoked team are refused, also those that were known`() throws {
    let fixture = try SigningFixture()
    let signed = try fixture.signed()
    #expect(try fixture.verdict(on: signed).isSigned)
    try fixture.teams.revoke(fixture.key.team)
    #expect(try fixture.verdict(on: signed) == .tampered(.revokedTeam(fixture.key.team)))
}

@Test
func `an expired team signs nothing more and is trusted no more, and its programs go on`() throws {
    let fixture = try SigningFixture()
    let expired = try SigningFixture.key("OLD0000004", days: 10, now: Date() - 20 * 86_400)
    let path = try fixture.write(SigningFixture.program())
    let entitlements = try SigningFixture.entitlements(team: "OLD0000004", identifier: "OLD0000004.app", groups: [])
    #expect(throws: KeychainError(.notAvailable, "")) {
        try ProgramSigner.sign(path, entitlements: entitlements, with: expired)
    }
    #expect(try fixture.contents(path) == SigningFixture.program())
    #expect(throws: KeychainError(.notAvailable, "")) { try fixture.teams.add(expired.certificate) }

    // It was trusted, and its program was signed, while there was time.
    try ProgramSigner.sign(path, entitlements: entitlements, with: expired, at: Date() - 15 * 86_400)
    try TeamFolder.add(expired.certificate, to: fixture.teamsFolder)
    #expect(try fixture.verifier.verdict(ofProgramAt: path).isSigned)
}

@Test
func `a program that changes while it is read is refused`() async throws {
    let fixture = try SigningFixture()
    let path = try fixture.write([0x7F] + Array("ELF".utf8) + [UInt8](repeating: 1, count: 4 << 20))
    let isDone = Flag()
    let writer = Thread {
        while !isDone.isSet { _ = utimensat(AT_FDCWD, path, nil, 0) }
    }
    writer.start()
    defer { isDone.set() }
    // The two threads meet when they do, on a busy machine not at the first try.
    var refusal: KeychainError?
    for _ in 0..<1000 where refusal == nil {
        do throws(KeychainError) {
            _ = try fixture.verifier.verdict(ofProgramAt: path)
        } catch {
            refusal = error
        }
    }
    #expect(refusal?.code == .authenticationFailed)
}

/// Says something to another thread.
final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }

    func set() { lock.withLock { value = true } }
}
