import Foundation
import Security
import Testing

@Suite("A program's own entitlements")
struct TaskTests {
    private static let list = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
        <key>application-identifier</key><string>TEAM123456.com.example.notes</string>
        <key>com.apple.developer.team-identifier</key><string>TEAM123456</string>
        <key>keychain-access-groups</key>
        <array><string>$(AppIdentifierPrefix)shared</string><string>other</string></array>
        <key>com.apple.security.app-sandbox</key><true/>
        <key>com.example.off</key><false/>
        <key>com.example.number</key><integer>1</integer>
        <key>com.example.nested</key><dict><key>list</key><array><true/></array></dict>
        </dict></plist>
        """

    private let task = SecTask(entitlements: Data(list.utf8), identifier: "notes")

    private func value(_ name: String, of task: SecTask? = nil) -> (value: CFTypeRef?, error: CFError?) {
        var error: Unmanaged<CFError>?
        let value = SecTaskCopyValueForEntitlement(task ?? self.task, name as CFString, &error)
        return (value, error?.takeRetainedValue())
    }

    @Test func `values have the types that the file gives them`() throws {
        let sandbox = try #require(value("com.apple.security.app-sandbox").value)
        #expect(CFGetTypeID(sandbox) == CFBooleanGetTypeID())
        #expect(sandbox as? Bool == true)
        #expect(value("com.example.off").value as? Bool == false)
        let number = try #require(value("com.example.number").value)
        #expect(CFGetTypeID(number) == CFNumberGetTypeID())
        let nested = try #require(value("com.example.nested").value as? [String: [Bool]])
        #expect(nested == ["list": [true]])
    }

    @Test func `texts say what the signing would have filled in`() {
        #expect(value("keychain-access-groups").value as? [String] == ["TEAM123456.shared", "other"])
    }

    @Test func `an entitlement that is not there is no error`() {
        let absent = value("com.example.absent")
        #expect(absent.value == nil)
        #expect(absent.error == nil)
    }

    @Test func `several are asked for at once`() throws {
        let names = ["keychain-access-groups", "com.example.absent", "com.example.off"] as CFArray
        var error: Unmanaged<CFError>?
        let values = try #require(SecTaskCopyValuesForEntitlements(task, names, &error) as? [String: Any])
        #expect(error == nil)
        #expect(values.keys.sorted() == ["com.example.off", "keychain-access-groups"])
    }

    @Test func `a name that is no string is errSecParam`() throws {
        var error: Unmanaged<CFError>?
        #expect(SecTaskCopyValuesForEntitlements(task, ["a", 1] as CFArray, &error) == nil)
        #expect(try #require(error?.takeRetainedValue() as NSError?).code == Int(errSecParam))
    }

    @Test func `the identifier has no team before it`() {
        #expect(SecTaskCopySigningIdentifier(task, nil) as String? == "com.example.notes")
        let plain = SecTask(entitlements: nil, identifier: "notes")
        #expect(SecTaskCopySigningIdentifier(plain, nil) as String? == "notes")
        #expect(value("keychain-access-groups", of: plain).value == nil)
        #expect(value("keychain-access-groups", of: plain).error == nil)
    }

    @Test(arguments: ["nonsense", "<?xml version=\"1.0\"?><plist><array/></plist>", "bplist00", ""])
    func `entitlements that cannot be understood are an error with every question`(text: String) throws {
        let broken = SecTask(entitlements: Data(text.utf8), identifier: "notes")
        let outcome = value("application-identifier", of: broken)
        #expect(outcome.value == nil)
        #expect(try #require(outcome.error as NSError?).code == Int(errSecMissingEntitlement))
        var error: Unmanaged<CFError>?
        #expect(SecTaskCopySigningIdentifier(broken, &error) == nil)
        #expect(error?.takeRetainedValue() != nil)
    }

    @Test func `this process is a task`() throws {
        let own = try #require(SecTaskCreateFromSelf(nil))
        #expect(CFGetTypeID(own) == SecTaskGetTypeID())
        #expect(value("com.example.absent", of: own).error == nil)
    }
}
