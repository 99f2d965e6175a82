import Foundation
import KeychainModel
import Testing

@testable import CodeSignature

private let refused = SignatureVerdict.tampered(.entitlements(KeychainError(.missingEntitlement, "")))

@Test(arguments: [
    "*", "ALPHA00001.*", "ALPHA00001.a*b", "BETA000002.shared", "ALPHA00001", "ALPHA00001.", "ALPHA000010.shared", "",
    "alpha00001.shared", " ALPHA00001.shared", "ALPHA00001.a\nb", "ALPHA00001.\u{202E}b",
    "$(AppIdentifierPrefix)shared", "ALPHA00001.$(CFBundleIdentifier)", "com.apple.token",
    "program./usr/bin/security", "signed-copy.00", "group.example", "ALPHA00001." + String(repeating: "a", count: 2000),
])
func `a team can give groups of its own, each in full, and nothing else`(_ group: String) throws {
    let fixture = try SigningFixture()
    let program = SigningFixture.program()
    for entitlements in [
        try SigningFixture.entitlements(groups: ["ALPHA00001.shared", group]),
        try SigningFixture.entitlements(identifier: group),
        try SigningFixture.entitlements(others: ["com.apple.security.application-groups": [group]]),
        try SigningFixture.entitlements(others: ["com.apple.developer.associated-application-identifier": group]),
        try SigningFixture.entitlements(others: ["com.apple.developer.associated-application-identifier": [group]]),
    ] {
        let trailer = try fixture.uncheckedTrailer(for: program, entitlements: entitlements)
        #expect(try fixture.verdict(on: program + trailer) == refused)
        let path = try fixture.write(program)
        #expect(throws: KeychainError(.missingEntitlement, "")) {
            try ProgramSigner.sign(path, entitlements: entitlements, with: fixture.key)
        }
        #expect(try fixture.contents(path) == program)
    }
}

@Test
func `entitlements that name no team, another, or no program are refused`() throws {
    let fixture = try SigningFixture()
    let program = SigningFixture.program()
    for entitlements in [
        try SigningFixture.entitlements(team: "BETA000002"), try SigningFixture.entitlements(team: ""),
        try SigningFixture.entitlements(identifier: nil), Array("<plist><dict/></plist>".utf8), Array("nothing".utf8),
        Array(#"<?xml version="1.0"?><plist><array/></plist>"#.utf8),
    ] {
        let trailer = try fixture.uncheckedTrailer(for: program, entitlements: entitlements)
        #expect(try fixture.verdict(on: program + trailer) == refused)
    }
}

@Test
func `entitlements that grow when they are read are refused`() throws {
    let fixture = try SigningFixture()
    let program = SigningFixture.program()
    let entities = (1..<30).map { "<!ENTITY e\($0) '\(String(repeating: "&e\($0 - 1);", count: 10))'>" }.joined()
    let bomb = """
        <?xml version="1.0"?><!DOCTYPE plist [<!ENTITY e0 'bomb'>\(entities)]>
        <plist version="1.0"><dict><key>application-identifier</key><string>&e29;</string>
        <key>com.apple.developer.team-identifier</key><string>ALPHA00001</string></dict></plist>
        """
    let external = """
        <?xml version="1.0"?><!DOCTYPE plist [<!ENTITY e SYSTEM "file:///etc/passwd">]>
        <plist version="1.0"><dict><key>application-identifier</key><string>ALPHA00001.&e;</string>
        <key>com.apple.developer.team-identifier</key><string>ALPHA00001</string></dict></plist>
        """
    let deep =
        #"<?xml version="1.0"?><plist version="1.0"><dict><key>k</key>"#
        + String(repeating: "<array>", count: 7000)
    for text in [bomb, external, deep] {
        let trailer = try fixture.uncheckedTrailer(for: program, entitlements: Array(text.utf8))
        #expect(try fixture.verdict(on: program + trailer) == refused)
    }
}

@Test
func `entitlements with a name twice are read one way`() throws {
    let fixture = try SigningFixture()
    let program = SigningFixture.program()
    let twice = """
        <?xml version="1.0"?><plist version="1.0"><dict>
        <key>com.apple.developer.team-identifier</key><string>ALPHA00001</string>
        <key>application-identifier</key><string>ALPHA00001.app</string>
        <key>keychain-access-groups</key><array><string>ALPHA00001.a</string></array>
        <key>keychain-access-groups</key><array><string>*</string></array>
        </dict></plist>
        """
    let trailer = try fixture.uncheckedTrailer(for: program, entitlements: Array(twice.utf8))
    if case .signed(let signature) = try fixture.verdict(on: program + trailer) {
        #expect(!signature.groups.contains { $0.contains("*") })
    }
}

@Test
func `what Xcode fills in when it signs is filled in`() throws {
    let source = """
        <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>keychain-access-groups</key><array>
        <string>$(AppIdentifierPrefix)shared</string><string>$(TeamIdentifierPrefix)$(CFBundleIdentifier)</string>
        </array></dict></plist>
        """
    let fixture = try SigningFixture()
    let entitlements = try EntitlementsTemplate.complete(
        Data(source.utf8),
        team: fixture.key.team,
        identifier: "com.example.app"
    )
    guard case .signed(let signature) = try fixture.verdict(on: fixture.signed(entitlements: entitlements)) else {
        Issue.record("it is not taken for signed")
        return
    }
    #expect(signature.identifier == "ALPHA00001.com.example.app")
    #expect(signature.groups == ["ALPHA00001.shared", "ALPHA00001.com.example.app"])
}

@Test
func `entitlements that say everything are signed as they are`() throws {
    let given = Data(try SigningFixture.entitlements())
    let fixture = try SigningFixture()
    #expect(try EntitlementsTemplate.complete(given, team: fixture.key.team, identifier: "x") == Array(given))
}

@Test
func `entitlements of another team are not signed`() throws {
    let fixture = try SigningFixture()
    let given = Data(try SigningFixture.entitlements(team: "BETA000002"))
    #expect(throws: KeychainError(.missingEntitlement, "")) {
        try EntitlementsTemplate.complete(given, team: fixture.key.team, identifier: "x")
    }
}
