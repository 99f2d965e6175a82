import Foundation
import FuzzSupport

@testable import KeychainClient
@testable import KeychainModel

/// The entitlements of a program, which are a file that anybody may have written.
///
/// They are read, or refused as entitlements that are missing; an access group is never empty.
@main
enum FuzzEntitlements: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        do throws(KeychainError) {
            let entitlements = try Entitlements(propertyList: Data(bytes))
            let groups = entitlements.groups(identifier: "program")
            require(!groups.names.contains(""), "an access group is never empty")
            require(!groups.names.contains { $0.hasSuffix("*") }, "a wildcard is no name")
        } catch {
            require(error.code == .missingEntitlement, "a file that is none is refused as such")
        }
    }

    static func seeds() throws -> [String: [UInt8]] {
        let list: [String: Any] = [
            "keychain-access-groups": ["$(AppIdentifierPrefix)shared", "group.*", "*"],
            "application-identifier": "TEAM.program",
            "com.apple.security.application-groups": ["group.program"],
            "com.apple.developer.team-identifier": "TEAM",
        ]
        func file(_ format: PropertyListSerialization.PropertyListFormat) throws -> [UInt8] {
            Array(try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0))
        }
        return [
            "xml": try file(.xml), "binary": try file(.binary),
            "old-style": Array(#"{ "application-identifier" = "A.b"; "keychain-access-groups" = (a, b); }"#.utf8),
        ]
    }
}
