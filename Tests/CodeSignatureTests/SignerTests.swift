import Foundation
import KeychainModel
import KeychainSystem
import Testing

@testable import CodeSignature

private func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
}

@Test
func `signing leaves the program, its permissions and nothing else behind`() throws {
    let fixture = try SigningFixture()
    let program = SigningFixture.program()
    let path = try fixture.write(program)
    #expect(chmod(path, 0o710) == 0)
    let before = try names(in: fixture.folder)
    try ProgramSigner.sign(path, entitlements: SigningFixture.entitlements(), with: fixture.key)
    #expect(try fixture.contents(path).starts(with: program))
    #expect(try FileStamp.of(path: path)?.mode ?? 0 & 0o7777 == 0o100710)
    #expect(try names(in: fixture.folder) == before)
}

@Test
func `a program that is signed anew has the new signature alone`() throws {
    let fixture = try SigningFixture()
    let path = try fixture.write(fixture.signed())
    let entitlements = try SigningFixture.entitlements(groups: ["ALPHA00001.new"])
    try ProgramSigner.sign(path, entitlements: entitlements, with: fixture.key)
    #expect(try fixture.contents(path).count == fixture.signed(entitlements: entitlements).count)
    #expect(try ProgramSigner.entitlements(of: path) == entitlements)
}

@Test
func `scripts, links, folders and pipes are not signed`() throws {
    let fixture = try SigningFixture()
    let script = try fixture.write(Array("#!/bin/sh\n".utf8), named: "script")
    let program = try fixture.write(SigningFixture.program())
    let link = fixture.folder + "/link"
    let pipe = fixture.folder + "/pipe"
    #expect(symlink(program, link) == 0)
    #expect(mkfifo(pipe, 0o700) == 0)
    let before = try names(in: fixture.folder)
    for path in [script, link, pipe, fixture.folder] {
        #expect(throws: KeychainError(.invalidParameter, ""), "\(path)") {
            try ProgramSigner.sign(path, entitlements: SigningFixture.entitlements(), with: fixture.key)
        }
    }
    #expect(try names(in: fixture.folder) == before)
    #expect(try fixture.contents(program) == SigningFixture.program())
}

@Test
func `a program with a damaged signature is not signed over it`() throws {
    let fixture = try SigningFixture()
    var bytes = try fixture.signed()
    bytes[bytes.count - 28] ^= 1
    let path = try fixture.write(bytes)
    #expect(throws: KeychainError(.invalidParameter, "")) {
        try ProgramSigner.sign(path, entitlements: SigningFixture.entitlements(), with: fixture.key)
    }
    #expect(try fixture.contents(path) == bytes)
}

@Test(.enabled(if: isRoot, "needs root"))
func `a program that is signed keeps its owner (as root)`() throws {
    let fixture = try SigningFixture()
    let path = try fixture.write(SigningFixture.program())
    #expect(chown(path, 65534, 65534) == 0)
    try ProgramSigner.sign(path, entitlements: SigningFixture.entitlements(), with: fixture.key)
    #expect(try FileStamp.of(path: path)?.owner == 65534)
    #expect(try FileStamp.of(path: path)?.group == 65534)
}
