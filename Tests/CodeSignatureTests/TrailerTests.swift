import Foundation
import KeychainModel
import Testing

@testable import CodeSignature
@testable import KeychainTrailer

private let trailer = ProgramTrailer(
    programLength: 64,
    digest: [UInt8](repeating: 7, count: 32),
    entitlements: Array("<plist/>".utf8),
    team: "TEAM",
    certificate: [1, 2, 3],
    signature: [UInt8](repeating: 9, count: 64)
)

@Test
func `a trailer is read as it was written`() throws {
    #expect(try ProgramTrailer(bytes: trailer.bytes) == trailer)
}

@Test
func `the layout of a trailer is the documented one`() throws {
    let bytes = trailer.bytes
    #expect(Array(bytes[0..<8]) == [0, 0, 0, 0, 0, 0, 0, 64])
    #expect(Array(bytes[8..<40]) == trailer.digest)
    #expect(Array(bytes[40..<52]) == [0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0, 3])
    #expect(Array(bytes[52..<67]) == Array("<plist/>TEAM".utf8) + [1, 2, 3])
    #expect(Array(bytes[67..<131]) == trailer.signature)
    #expect(Array(bytes[131..<139]) == [0, 0, 0, 1, 0, 0, 0, 163])
    #expect(Array(bytes[139...]) == Array("~chatelaine signature 1~".utf8))
    let message = Array("chatelaine program signature".utf8) + [0, 0, 0, 0, 1]
    #expect(trailer.signedMessage == message + bytes[0..<67])
}

@Test(arguments: [0, 1, 3, 4, 5, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32])
func `lengths that do not add up are refused`(_ length: UInt32) throws {
    let original = trailer.bytes
    // The three lengths, and the trailer's.
    for offset in [40, 44, 48, original.count - 28] {
        var bytes = original
        let replacement = (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32($0))) }
        guard Array(bytes[offset..<offset + 4]) != replacement else { continue }
        bytes.replaceSubrange(offset..<offset + 4, with: replacement)
        #expect(throws: ProgramTrailer.Fault.lengths, "at \(offset)") { try ProgramTrailer(bytes: bytes) }
    }
}

@Test
func `lengths that make up for each other are refused`() throws {
    // A byte of the certificate more, and one of the entitlements less.
    var bytes = trailer.bytes
    bytes[43] = 7
    bytes[51] = 4
    #expect(throws: ProgramTrailer.Fault.team) { try ProgramTrailer(bytes: bytes) }
    let fixture = try SigningFixture()
    let signed = try fixture.signed(SigningFixture.program(count: 64))
    var moved = signed
    moved[64 + 43] &-= 1
    moved[64 + 51] &+= 1
    #expect(try fixture.verdict(on: moved).isTampered)
}

@Test
func `parts that are longer than they may be are refused`() {
    let long = trailer.with(entitlements: [UInt8](repeating: 32, count: ProgramTrailer.largestEntitlements + 1))
    #expect(throws: ProgramTrailer.Fault.lengths) { try ProgramTrailer(bytes: long.bytes) }
    let certificate = trailer.with(certificate: [UInt8](repeating: 0, count: ProgramTrailer.largestCertificate + 1))
    #expect(throws: ProgramTrailer.Fault.lengths) { try ProgramTrailer(bytes: certificate.bytes) }
    let team = trailer.with(team: String(repeating: "A", count: ProgramTrailer.largestTeam + 1))
    #expect(throws: ProgramTrailer.Fault.lengths) { try ProgramTrailer(bytes: team.bytes) }
}

@Test(arguments: ["", "team", "A.B", "A*", "A/B", "Ä", "A B", "A\0"])
func `a team is called by capital letters and digits`(_ name: String) {
    #expect(TeamIdentifier(name) == nil)
    #expect(throws: ProgramTrailer.Fault.self) { try ProgramTrailer(bytes: trailer.with(team: name).bytes) }
}

@Test
func `a trailer of a later version is a signature that is not understood`() throws {
    let fixture = try SigningFixture()
    var signed = try fixture.signed()
    signed[signed.count - 29] = 2
    #expect(try fixture.verdict(on: signed) == .tampered(.malformed(.otherVersion)))
}

@Test
func `a file with nothing but a mark, or with less, is no signed program`() throws {
    let fixture = try SigningFixture()
    let mark = Array(trailer.bytes.suffix(32))
    let path = try fixture.write(mark)
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    #expect(try ProgramTrailer.ending(of: descriptor, length: 32) == .faulty(.lengths))
    #expect(try ProgramTrailer.ending(of: descriptor, length: 31) == .none)
    #expect(try ProgramTrailer.ending(of: descriptor, length: 0) == .none)
}

@Test
func `a program knows whether it is signed`() throws {
    let fixture = try SigningFixture()
    for (bytes, isSigned) in [(SigningFixture.program(), false), (try fixture.signed(), true)] {
        let path = try fixture.write(bytes)
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        #expect(try ProgramTrailer.isPresent(in: descriptor) == isSigned)
    }
    // The tests are not.
    #expect(try !ProgramTrailer.isPresentInOwnProgram())
}
