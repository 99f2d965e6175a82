import Foundation
import KeychainClient
import KeychainModel
import Testing

@Suite("Entitlements")
struct EntitlementsTests {
    private func propertyList(_ body: String) -> Data {
        Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>\(body)</dict></plist>
            """.utf8
        )
    }

    @Test
    func `groups come first in their order, and the application identifier after them`() throws {
        let entitlements = try Entitlements(
            propertyList: propertyList(
                """
                <key>application-identifier</key><string>TEAM.app</string>
                <key>keychain-access-groups</key><array><string>TEAM.b</string><string>TEAM.a</string></array>
                """
            )
        )
        #expect(entitlements.groups(identifier: "program").names == ["TEAM.b", "TEAM.a", "TEAM.app"])
    }

    @Test
    func `without entitlements the program's identifier is its only group`() {
        #expect(Entitlements().groups(identifier: "com.example.app").names == ["com.example.app"])
    }

    @Test
    func `without an application identifier the program's own identifier takes its place`() throws {
        let entitlements = try Entitlements(
            propertyList: propertyList("<key>keychain-access-groups</key><array><string>shared</string></array>")
        )
        #expect(entitlements.groups(identifier: "program").names == ["shared", "program"])
    }

    @Test
    func `what Xcode fills in when it signs is filled in`() throws {
        let entitlements = try Entitlements(
            propertyList: propertyList(
                """
                <key>com.apple.developer.team-identifier</key><string>A1B2C3D4E5</string>
                <key>keychain-access-groups</key><array>
                <string>$(AppIdentifierPrefix)com.example.shared</string>
                <string>$(AppIdentifierPrefix)$(CFBundleIdentifier)</string></array>
                """
            )
        )
        let groups = entitlements.groups(identifier: "com.example.app")
        #expect(groups.names.prefix(2) == ["A1B2C3D4E5.com.example.shared", "A1B2C3D4E5.com.example.app"])
    }

    @Test
    func `an asterisk stands for all groups, and after a team for the team's`() {
        let everything = AccessGroups(["security", "*"])
        #expect(everything.names == ["security"])
        #expect(everything.contains("anything"))
        let team = AccessGroups(["TEAM.*"])
        #expect(team.contains("TEAM.app"))
        #expect(!team.contains("OTHER.app"))
        #expect(!team.contains("TEAM"))
    }

    @Test(arguments: [
        "", "no property list", "<plist version=\"1.0\"><array/></plist>",
        "<plist version=\"1.0\"><dict><key>keychain-access-groups</key><string>one</string></dict></plist>",
        "<plist version=\"1.0\"><dict><key>keychain-access-groups</key><array><integer>1</integer></array></dict></plist>",
        "<plist version=\"1.0\"><dict><key>application-identifier</key><array/></dict></plist>",
    ])
    func `a file that is no list of entitlements is refused and not taken for an empty one`(text: String) {
        #expect(throws: KeychainError(.missingEntitlement, "")) {
            try Entitlements(propertyList: Data(text.utf8))
        }
    }

    /// A fuzzer's find (`Fuzz/Corpus/entitlements/set`): Foundation's older reader of property lists ends the process.
    @Test func `a set in a binary property list is refused, and ends nothing`() {
        let trailer: (_ objects: UInt8, _ table: UInt8) -> [UInt8] = { objects, table in
            let zeroes = [UInt8](repeating: 0, count: 7)
            return zeroes.dropLast() + [1, 1] + zeroes + [objects] + zeroes + [0] + zeroes + [table]
        }
        let start = Array("bplist00".utf8)
        let set = start + [0xC1, 1, 0x51, 0x61] + [8, 10] + trailer(2, 12)
        // A dictionary whose groups are a set.
        let key = Array("keychain-access-groups".utf8)
        let nested =
            start + [0xD1, 1, 2] + [0x5F, 0x10, UInt8(key.count)] + key + [0xC1, 3] + [0x51, 0x61]
            + [8, 11, 36, 38] + trailer(4, 40)
        for file in [set, nested] {
            #expect(throws: KeychainError(.missingEntitlement, "")) { try Entitlements(propertyList: Data(file)) }
        }
    }
}
