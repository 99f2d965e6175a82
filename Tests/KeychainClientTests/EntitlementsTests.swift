import Foundation
import Testing

@testable import KeychainModel

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
        #expect(entitlements.ownGroup(identifier: "program") == "TEAM.app")
    }

    @Test(arguments: ["<string>TEAM.phone</string>", "<array><string>TEAM.phone</string></array>"])
    func `new items go into the group of the associated application`(associated: String) throws {
        let entitlements = try Entitlements(
            propertyList: propertyList(
                """
                <key>keychain-access-groups</key><array><string>TEAM.a</string></array>
                <key>com.apple.developer.associated-application-identifier</key>\(associated)
                """
            )
        )
        #expect(entitlements.groups(identifier: "program").names == ["TEAM.phone", "TEAM.a", "program"])
    }

    @Test
    func `an associated application that is no text is refused`() {
        let key = "com.apple.developer.associated-application-identifier"
        for value in ["<true/>", "<integer>1</integer>", "<dict/>", "<array><true/></array>"] {
            #expect(throws: KeychainError.self) {
                try Entitlements(propertyList: propertyList("<key>\(key)</key>\(value)"))
            }
        }
    }

    @Test
    func `an empty dictionary gives no group, and one that says something else the program's own`() throws {
        let empty = try Entitlements(propertyList: propertyList(""))
        #expect(empty.groups(identifier: "com.example.app").names.isEmpty)
        let other = try Entitlements(propertyList: propertyList("<key>com.apple.security.app-sandbox</key><true/>"))
        #expect(other.groups(identifier: "com.example.app").names == ["com.example.app"])
    }

    @Test
    func `without entitlements the program's identifier is its only group`() {
        #expect(Entitlements().groups(identifier: "com.example.app").names == ["com.example.app"])
        #expect(Entitlements().ownGroup(identifier: "com.example.app") == "com.example.app")
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
    func `a team from elsewhere fills in what Xcode's own file leaves open`() throws {
        let entitlements = try Entitlements(
            propertyList: propertyList(
                """
                <key>keychain-access-groups</key><array>
                <string>$(AppIdentifierPrefix)com.example.shared</string></array>
                """
            )
        )
        let identifier = "com.example.app"
        #expect(entitlements.groups(identifier: identifier).names == ["com.example.shared", identifier])
        let completed = entitlements.completed(team: "A1B2C3D4E5")
        #expect(
            completed.groups(identifier: identifier).names
                == ["A1B2C3D4E5.com.example.shared", "A1B2C3D4E5.com.example.app"]
        )
        #expect(completed.ownGroup(identifier: identifier) == "A1B2C3D4E5.com.example.app")
        // What the file says itself counts more, and an empty list stays one.
        #expect(completed.completed(team: "OTHER") == completed)
        let empty = try Entitlements(propertyList: propertyList(""))
        #expect(empty.completed(team: "A1B2C3D4E5").groups(identifier: identifier).names.isEmpty)
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

    /// Foundation's readers of the other forms end the process over some that are damaged: a set, a text that is longer
    /// than the file. Both are among the inputs that the fuzzer begins with.
    @Test func `a property list that is not XML is refused, whole or damaged`() throws {
        let list = ["application-identifier": "TEAM.program"]
        let whole = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        let set: [UInt8] =
            Array("bplist00".utf8) + [0xC1, 1, 0x51, 0x61, 8, 10, 0, 0, 0, 0, 0, 0, 1, 1]
            + [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12]
        let tooLong = try #require(
            whole.firstIndex(of: 0x5F).map { index in
                var damaged = whole
                damaged[index + 1] = 0x12
                return damaged
            }
        )
        let oldStyle = Data(#"{ "application-identifier" = "TEAM.program"; }"#.utf8)
        for file in [whole, Data(set), tooLong, oldStyle] {
            #expect(throws: KeychainError(.missingEntitlement, "")) { try Entitlements(propertyList: file) }
        }
    }

    @Test func `a property list with a byte order mark is read`() throws {
        let file = Data([0xEF, 0xBB, 0xBF]) + propertyList("<key>application-identifier</key><string>TEAM.a</string>")
        #expect(try Entitlements(propertyList: file).applicationIdentifier == "TEAM.a")
    }

    /// The reader calls itself for each level, on a thread whose stack is small.
    @Test func `a property list of endless nesting or size is refused, and ends nothing`() throws {
        for name in ["array", "dict><key>a</key"] {
            let file = Data(("<?xml version=\"1.0\"?><plist>" + String(repeating: "<\(name)>", count: 200_000)).utf8)
            #expect(throws: KeychainError(.missingEntitlement, "")) { try Entitlements(propertyList: file) }
            #expect(throws: KeychainError(.missingEntitlement, "")) {
                try Entitlements(propertyList: file.prefix(Entitlements.largestFile))
            }
        }
    }
}
