import EnclaveInterface
import Foundation
import KeychainModel
import Security
import Testing

/// The states that a keychain can be in.
enum LockState: CaseIterable, CustomTestStringConvertible {
    case noPasscode
    case unlocked
    case locked
    case beforeFirstUnlock

    var testDescription: String { "\(self)" }
}

/// What a program can do with an item.
enum LockedOperation: CaseIterable, CustomTestStringConvertible {
    case add
    case readValue
    case readAttributes
    case lookForIt
    case update
    case delete

    var testDescription: String { "\(self)" }
}

@Suite("What each accessibility class allows in each state")
struct LockStateTests {
    /// Every password, whatever its account is.
    private func passwords(_ more: [CFString: Any] = [:]) -> [CFString: Any] {
        [kSecClass: kSecClassGenericPassword].merging(more) { $1 }
    }

    private static let passcode = SecretBytes(Array("passcode".utf8))

    /// `secitem-facts`: by class, the states in which its items can be read. Deleting is allowed always.
    private static func isOpen(_ accessible: Accessibility, in state: LockState) -> Bool {
        switch accessible {
        case .always, .alwaysThisDeviceOnly: true
        case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: state != .beforeFirstUnlock
        case .whenUnlocked, .whenUnlockedThisDeviceOnly: state == .noPasscode || state == .unlocked
        case .whenPasscodeSetThisDeviceOnly: state == .unlocked
        }
    }

    private static func expected(
        _ operation: LockedOperation,
        _ accessible: Accessibility,
        in state: LockState
    ) -> OSStatus {
        if accessible == .whenPasscodeSetThisDeviceOnly && state == .noPasscode {
            // The items went with the passcode.
            return operation == .add ? errSecAuthFailed : errSecItemNotFound
        }
        if operation == .delete { return errSecSuccess }
        return isOpen(accessible, in: state) ? errSecSuccess : errSecInteractionNotAllowed
    }

    /// A keychain with an item of each class, in a state that it was brought to while the test's program had it open.
    private func withKeychain(
        _ transport: Transport,
        in state: LockState,
        _ body: (any EnclaveControl) throws -> Void
    ) throws {
        let fixture = try KeychainFixture(transport, isLockable: true)
        let control = try #require(try fixture.control())
        try fixture.asProgram(groups: ["test.default"]) {
            try control.changePasscode(from: nil, to: Self.passcode)
            for accessible in Accessibility.allCases {
                try #require(add(Self.item(accessible.rawValue, accessible)) == errSecSuccess)
            }
            switch state {
            case .noPasscode: try control.changePasscode(from: Self.passcode, to: nil)
            case .unlocked: break
            case .locked: try control.lock()
            case .beforeFirstUnlock: try control.logOut()
            }
            try body(control)
        }
    }

    private static func item(_ account: String, _ accessible: Accessibility) -> [CFString: Any] {
        password([kSecAttrAccount: account, kSecAttrAccessible: accessible.rawValue])
    }

    private func perform(_ operation: LockedOperation, _ accessible: Accessibility) -> OSStatus {
        let one = query([kSecAttrAccount: accessible.rawValue])
        return switch operation {
        case .add: add(Self.item("new " + accessible.rawValue, accessible))
        case .readValue: find(one.merging([kSecReturnData: true]) { $1 }).status
        case .readAttributes: find(one.merging([kSecReturnAttributes: true]) { $1 }).status
        case .lookForIt: find(one).status
        case .update: update(one, [kSecAttrLabel: "changed"])
        case .delete: delete(one)
        }
    }

    @Test(arguments: Transport.allCases, LockState.allCases)
    func `every class allows and refuses every operation as its state has it`(
        transport: Transport,
        state: LockState
    ) throws {
        try withKeychain(transport, in: state) { _ in
            for operation in LockedOperation.allCases {
                for accessible in Accessibility.allCases {
                    #expect(
                        perform(operation, accessible) == Self.expected(operation, accessible, in: state),
                        "\(operation) \(accessible) \(state)"
                    )
                }
            }
        }
    }

    @Test(arguments: Transport.lockableAtNoCost, [LockState.locked, .beforeFirstUnlock])
    func `what was locked is there again with the passcode`(transport: Transport, state: LockState) throws {
        try withKeychain(transport, in: state) { control in
            #expect(find(passwords([kSecMatchLimit: kSecMatchLimitAll])).status == errSecInteractionNotAllowed)
            try control.unlock(Self.passcode)
            for accessible in Accessibility.allCases {
                try #expect(value(of: query([kSecAttrAccount: accessible.rawValue])) == secret)
            }
        }
    }

    @Test(arguments: Transport.lockableAtNoCost)
    func `an item that says nothing is one of those that are there when unlocked`(transport: Transport) throws {
        try withKeychain(transport, in: .locked) { _ in
            #expect(add(password()) == errSecInteractionNotAllowed)
        }
    }

    @Test(arguments: Transport.lockableAtNoCost)
    func `one locked item fails a search for all, and stays out of one by class`(transport: Transport) throws {
        try withKeychain(transport, in: .locked) { _ in
            let all: [CFString: Any] = [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]
            #expect(find(passwords(all)).status == errSecInteractionNotAllowed)
            for open in ["ck", "cku", "dk", "dku"] {
                #expect(find(passwords(all.merging([kSecAttrAccessible: open]) { $1 })).status == errSecSuccess)
            }
        }
    }

    @Test(arguments: Transport.lockableAtNoCost)
    func `an update takes no item into a locked class, or out of one`(transport: Transport) throws {
        try withKeychain(transport, in: .locked) { control in
            let open = query([kSecAttrAccount: "dk"])
            #expect(update(open, [kSecAttrAccessible: "ak"]) == errSecInteractionNotAllowed)
            #expect(update(query([kSecAttrAccount: "ak"]), [kSecAttrAccessible: "dk"]) == errSecInteractionNotAllowed)
            #expect(update(open, [kSecAttrAccessible: "ck"]) == errSecSuccess)
            try control.unlock(Self.passcode)
            try #expect(attributes(of: query([kSecAttrAccount: "ak"]))["pdmn"] as? String == "ak")
            try #expect(attributes(of: open)["pdmn"] as? String == "ck")
        }
    }

    @Test(arguments: Transport.lockableAtNoCost)
    func `a duplicate of a locked item is refused as one`(transport: Transport) throws {
        try withKeychain(transport, in: .locked) { control in
            #expect(add(Self.item("ak", .always)) == errSecDuplicateItem)
            #expect(update(query([kSecAttrAccount: "dk"]), [kSecAttrAccount: "ak"]) == errSecDuplicateItem)
            try control.unlock(Self.passcode)
            try #expect(accounts(of: passwords()).count == 7)
        }
    }

    @Test(arguments: Transport.lockableAtNoCost)
    func `a synchronizable item that is deleted while locked leaves no tombstone`(transport: Transport) throws {
        try withKeychain(transport, in: .unlocked) { control in
            for account in ["open", "locked"] {
                add(password([kSecAttrAccount: account, kSecAttrSynchronizable: true]))
            }
            let any = passwords([kSecAttrSynchronizable: true])
            #expect(delete(any.merging([kSecAttrAccount: "open"]) { $1 }) == errSecSuccess)
            try control.lock()
            #expect(delete(any.merging([kSecAttrAccount: "locked"]) { $1 }) == errSecSuccess)
            try control.unlock(Self.passcode)
            try #expect(accounts(of: any.merging(["tomb" as CFString: true]) { $1 }) == ["open"])
        }
    }

    @Test(arguments: Transport.lockableAtNoCost)
    func `a new passcode brings back no item that went with the old one`(transport: Transport) throws {
        try withKeychain(transport, in: .noPasscode) { control in
            let bound = query([kSecAttrAccount: "akpu"])
            #expect(find(bound).status == errSecItemNotFound)
            try control.changePasscode(from: nil, to: Self.passcode)
            #expect(find(bound).status == errSecItemNotFound)
            #expect(add(Self.item("akpu", .whenPasscodeSetThisDeviceOnly)) == errSecSuccess)
            for accessible in Accessibility.allCases {
                try #expect(value(of: query([kSecAttrAccount: accessible.rawValue])) == secret)
            }
        }
    }

    @Test(arguments: Transport.lockableAtNoCost)
    func `passcodes and rotations leave every item what it was`(transport: Transport) throws {
        try withKeychain(transport, in: .unlocked) { control in
            let all = passwords([
                kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true, kSecReturnPersistentRef: true,
            ])
            let before = try #require(find(all).result as? [[String: Any]])
            let other = SecretBytes(Array("other".utf8))
            try control.changePasscode(from: Self.passcode, to: other)
            try control.lock()
            #expect(failure { try control.unlock(Self.passcode) } == .authenticationFailed)
            try control.unlock(other)
            let after = try #require(find(all).result as? [[String: Any]])
            #expect(after as NSArray == before as NSArray)
        }
    }

    private func failure(_ body: () throws -> Void) -> KeychainError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? KeychainError)?.code
        }
    }
}
