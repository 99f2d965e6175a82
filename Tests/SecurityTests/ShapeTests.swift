// Written as Apple's documentation and its readers write it, forced unwraps and casts included.
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import Security
import Testing

/// The ways in which programs spell what they give and take. That these lines compile is half of the test.
@Suite("The shapes in which programs write queries and read results")
struct ShapeTests {
    @Test func `every spelling of a dictionary becomes the same one`() {
        let mutable = NSMutableDictionary()
        mutable[kSecClass] = kSecClassGenericPassword
        mutable[kSecAttrAccount as String] = "a"
        let byMethod = NSMutableDictionary()
        byMethod.setObject(kSecClassGenericPassword, forKey: kSecClass as any NSCopying)
        byMethod.setValue("a", forKey: kSecAttrAccount as String)
        var stepwise: [String: Any] = [:]
        stepwise[String(kSecClass)] = kSecClassGenericPassword as String
        stepwise.updateValue("a", forKey: kSecAttrAccount as String)
        let dictionaries: [CFDictionary] = [
            [kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "a"] as [String: Any]
                as CFDictionary,
            [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "a"] as [CFString: Any] as CFDictionary,
            [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "a"] as [NSString: Any] as CFDictionary,
            [kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "a" as AnyObject]
                as [String: AnyObject] as CFDictionary,
            [kSecClass: kSecClassGenericPassword, kSecAttrAccount as String: "a"] as [AnyHashable: Any]
                as CFDictionary,
            [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "a"] as NSDictionary,
            [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "a"] as CFDictionary,
            [kSecClass as NSString: kSecClassGenericPassword, kSecAttrAccount as NSString: "a" as NSString]
                as CFDictionary,
            mutable, mutable as CFDictionary, byMethod, stepwise as CFDictionary, stepwise as NSDictionary,
        ]
        for dictionary in dictionaries { #expect(CFEqual(dictionary, dictionaries[0])) }
    }

    @Test func `the functions are values of the types that programs store them as`() {
        let add: (CFDictionary, UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus = SecItemAdd
        let copy: (CFDictionary, UnsafeMutablePointer<AnyObject?>?) -> Int32 = SecItemCopyMatching(_:_:)
        let update: @Sendable (CFDictionary, CFDictionary) -> OSStatus = SecItemUpdate
        let delete: (CFDictionary) -> OSStatus = SecItemDelete
        let message: (OSStatus, UnsafeMutableRawPointer?) -> CFString? = SecCopyErrorMessageString
        let random: (SecRandomRef?, Int, UnsafeMutableRawPointer) -> Int32 = SecRandomCopyBytes
        let control:
            (CFAllocator?, CFTypeRef, SecAccessControlCreateFlags, UnsafeMutablePointer<Unmanaged<CFError>?>?) ->
                SecAccessControl? = SecAccessControlCreateWithFlags
        let empty: CFDictionary = [:] as CFDictionary
        #expect(add(empty, nil) == errSecParam && copy(empty, nil) == errSecParam)
        #expect(update(empty, empty) == errSecParam && delete(empty) == errSecParam)
        #expect(message(errSecParam, nil) != nil && random(nil, 0, UnsafeMutableRawPointer(bitPattern: 1)!) == 0)
        #expect(control(nil, kSecAttrAccessibleWhenUnlocked, [], nil) != nil)
        // Without a warning that the result is not used:
        SecItemAdd(empty, nil)
        SecItemCopyMatching(empty, nil)
        SecItemUpdate(empty, empty)
        SecItemDelete(empty)
    }

    @Test func `truth values are implicitly unwrapped, as a dictionary, an argument and an optional want them`() {
        let yes: CFBoolean = kCFBooleanTrue
        let optional: CFBoolean? = kCFBooleanFalse
        let dictionary: [String: Any] = ["a": kCFBooleanTrue!, "b": kCFBooleanFalse as Any]
        #expect(CFBooleanGetValue(yes) && !CFBooleanGetValue(optional))
        #expect(dictionary["a"] as? Bool == true && dictionary["b"] as? Bool == false)
        #expect(kCFBooleanTrue == true && (kCFBooleanTrue as! Bool) && kCFBooleanTrue.boolValue)
    }

    @Test func `an error comes through a pointer to an unmanaged one`() throws {
        var error: Unmanaged<CFError>?
        #expect(SecAccessControlCreateWithFlags(nil, "no protection" as CFString, [], &error) == nil)
        let cfError = try #require(error).takeRetainedValue()
        #expect(CFErrorGetCode(cfError) == Int(errSecParam))
        #expect(CFErrorGetDomain(cfError) as String == NSOSStatusErrorDomain)
        let thrown = cfError as any Error
        #expect((thrown as NSError).code == Int(errSecParam))
        #expect(CFErrorCopyDescription(cfError) as String != "")
    }

    @Test func `an object is taken by its type identifier, by a cast and by its bits`() throws {
        let control = try #require(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil))
        let item: CFTypeRef = control
        #expect(CFGetTypeID(item) == SecAccessControlGetTypeID())
        #expect((item as! SecAccessControl) == control)
        let array = [control] as CFArray
        #expect(unsafeBitCast(CFArrayGetValueAtIndex(array, 0), to: SecAccessControl.self) === control)
        #expect(unsafeDowncast(item, to: SecAccessControl.self) === control)
        #expect(Unmanaged.passUnretained(item).takeUnretainedValue() === control)
        #expect([control: 1][control] == 1)
        #expect((item as? SecCertificate) == nil)
    }

    @Test func `a key of a dictionary is a string and a constant alike`() {
        let any: [AnyHashable: Any] = [kSecAttrAccount as String: "a", kSecAttrService: "s"]
        #expect(any[kSecAttrAccount] as? String == "a" && any[kSecAttrAccount as String] as? String == "a")
        #expect(any[kSecAttrService as String] as? String == "s" && any["svce"] as? String == "s")
        let strings = [kSecAttrAccount as String: "a"] as CFDictionary as? [CFString: Any]
        #expect(strings?[kSecAttrAccount] as? String == "a")
        #expect((kSecAttrAccount as String) == "acct" && kSecAttrAccount == "acct" as CFString)
        #expect(Set([kSecAttrAccount, "acct" as CFString]).count == 1)
        switch kSecAttrAccount {
        case kSecAttrService: Issue.record("a constant matches another")
        case kSecAttrAccount: break
        default: Issue.record("a constant does not match itself")
        }
    }

    @Test func `what Foundation lacks on Linux is there`() {
        #expect(TARGET_OS_SIMULATOR == 0 && noErr == errSecSuccess)
        #expect(NSOSStatusErrorDomain == "NSOSStatusErrorDomain")
        let status: OSStatus = errSecItemNotFound
        let error = NSError(domain: NSOSStatusErrorDomain, code: Int(status), userInfo: nil)
        let pointer: NSErrorPointer = nil
        let integer: NSInteger = 1
        let unsigned: NSUInteger = 1
        let code: FourCharCode = 0x6162_6364
        #expect(pointer == nil && integer == 1 && unsigned == 1 && code > 0 && error.code == -25300)
        let table = NSMapTable<NSString, NSNumber>.strongToStrongObjects()
        table.setObject(1, forKey: "k")
        #expect(table.object(forKey: "k") == 1)
        #expect(SInt32(1) == Int32(1))
    }
}
