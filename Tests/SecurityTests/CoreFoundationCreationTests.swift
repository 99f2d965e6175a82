import CoreFoundationAliases
import Foundation
import Testing

@Suite("Making and reading Core Foundation objects")
struct CoreFoundationCreationTests {
    private func pointer(_ object: AnyObject) -> UnsafeRawPointer {
        unsafe UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    }

    private func object(_ pointer: UnsafeRawPointer?) -> AnyObject? {
        unsafe pointer.map { unsafe Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() }
    }

    @Test func `a dictionary is made from pointers, and copied`() throws {
        let (key, value): (NSString, NSString) = ("a key that is too long for a pointer", "v")
        var keys: [UnsafeRawPointer?] = unsafe [pointer(key), nil, pointer(kCFNull)]
        var values: [UnsafeRawPointer?] = unsafe [pointer(value), pointer(value), nil]
        var keyCallBacks = kCFTypeDictionaryKeyCallBacks
        var valueCallBacks = kCFTypeDictionaryValueCallBacks
        let made = try #require(
            unsafe CFDictionaryCreate(kCFAllocatorDefault, &keys, &values, 3, &keyCallBacks, &valueCallBacks)
        )
        #expect(made as? [String: String] == [key as String: "v"])
        #expect(unsafe CFDictionaryCreate(nil, &keys, &values, 0, nil, nil).count == 0)
        #expect(CFDictionaryCreate(nil, nil, nil, 0, nil, nil).count == 0)
        #expect(unsafe CFDictionaryCreate(nil, &keys, &values, -1, nil, nil) == nil)

        let mutable = try #require(CFDictionaryCreateMutableCopy(nil, 0, made))
        unsafe CFDictionarySetValue(mutable, pointer(value), pointer(value))
        let copy = try #require(CFDictionaryCreateCopy(nil, mutable))
        mutable.removeAllObjects()
        #expect(copy.count == 2 && made.count == 1 && CFDictionaryCreateCopy(nil, nil) == nil)

        let empty = try #require(CFDictionaryCreateMutable(nil, 0, &keyCallBacks, &valueCallBacks))
        unsafe CFDictionaryAddValue(empty, pointer(key), pointer(value))
        var found: UnsafeRawPointer?
        #expect(unsafe CFDictionaryGetValueIfPresent(empty, pointer(key), &found))
        #expect(object(found) as? String == "v")
        found = nil
        #expect(unsafe !CFDictionaryGetValueIfPresent(empty, pointer(value), &found))
        #expect(found == nil)
        #expect(unsafe CFDictionaryGetValueIfPresent(empty, pointer(key), nil))
    }

    @Test func `an array is made from pointers, and copied`() throws {
        let (first, second): (NSString, NSNumber) = ("first", 2)
        var values: [UnsafeRawPointer?] = unsafe [pointer(first), nil, pointer(second)]
        var callBacks = kCFTypeArrayCallBacks
        let made = try #require(unsafe CFArrayCreate(nil, &values, 3, &callBacks))
        #expect(CFArrayGetCount(made) == 2 && made[0] as? String == "first" && made[1] as? Int == 2)
        #expect(unsafe CFArrayCreate(nil, &values, -1, nil) == nil)
        #expect(CFArrayCreate(nil, nil, 0, nil).count == 0)
        let mutable = try #require(CFArrayCreateMutable(nil, 0, &callBacks))
        unsafe CFArrayAppendValue(mutable, pointer(first))
        CFArrayAppendValue(mutable, nil)
        let copy = try #require(CFArrayCreateCopy(nil, mutable))
        mutable.removeAllObjects()
        #expect(copy as? [String] == ["first"])
    }

    @Test func `a string is made from bytes in a known encoding`() {
        #expect(CFStringCreateWithCString(nil, "Schlüssel", CFStringBuiltInEncodings.UTF8.rawValue) == "Schlüssel")
        let notUTF8: [CChar] = [-1, -2, 0]
        #expect(CFStringCreateWithCString(nil, notUTF8, CFStringBuiltInEncodings.UTF8.rawValue) == nil)
        #expect(CFStringCreateWithCString(nil, [-28, 0], CFStringBuiltInEncodings.isoLatin1.rawValue) == "ä")
        #expect(CFStringCreateWithCString(nil, "x", 0xABCDEF) == nil)
        #expect(CFStringCreateWithCString(nil, nil, 0x0800_0100) == nil)
        let mutable = NSMutableString(string: "a")
        let copy = CFStringCreateCopy(nil, mutable)
        mutable.append("b")
        #expect(copy == "a" && CFStringGetLength("🔑" as CFString) == 2)
    }

    @Test func `strings are compared as the flags say`() {
        #expect(CFStringCompare("a" as CFString, "b" as CFString, []) == .compareLessThan)
        #expect(CFStringCompare("b" as CFString, "a" as CFString, []) == .compareGreaterThan)
        #expect(CFStringCompare("A" as CFString, "a" as CFString, []) != .compareEqualTo)
        #expect(CFStringCompare("A" as CFString, "a" as CFString, .compareCaseInsensitive) == .compareEqualTo)
        #expect(CFStringCompare("2" as CFString, "10" as CFString, .compareNumerically) == .compareLessThan)
        #expect(CFStringCompare("é" as CFString, "e\u{301}" as CFString, []) != .compareEqualTo)
        #expect(CFStringCompare("é" as CFString, "e\u{301}" as CFString, .compareNonliteral) == .compareEqualTo)
    }

    @Test func `a number is made from memory and read into it, and says when it does not fit`() {
        var small: Int32 = -7
        #expect(CFNumberCreate(nil, .sInt32Type, &small) == -7)
        var real = 1.5
        #expect(CFNumberCreate(nil, .doubleType, &real) == 1.5)
        #expect(CFNumberCreate(nil, .intType, nil) == nil)
        var value: Int16 = 0
        #expect(CFNumberGetValue(300 as CFNumber, .sInt16Type, &value) && value == 300)
        #expect(!CFNumberGetValue(70_000 as CFNumber, .sInt16Type, &value))
        #expect(!CFNumberGetValue(1.5 as CFNumber, .sInt16Type, &value) && value == 1)
        var wide: Int64 = 0
        #expect(!CFNumberGetValue(NSNumber(value: UInt64.max), .sInt64Type, &wide))
        #expect(!CFNumberGetValue(NSNumber(value: Double.infinity), .sInt64Type, &wide))
        #expect(CFNumberGetValue(NSNumber(value: Int64.min), .sInt64Type, &wide) && wide == .min)
        #expect(CFNumberGetValue(2 as CFNumber, .float64Type, &real) && real == 2)
        #expect(!CFNumberGetValue(NSNumber(value: Int64.max), .float64Type, &real))
        #expect(CFNumberGetValue(kCFBooleanTrue, .sInt16Type, &value) && value == 1)
    }

    @Test func `some bytes of data are copied, or none if not all exist`() {
        let data = Data([1, 2, 3]) as CFData
        var bytes: [UInt8] = [0, 0]
        CFDataGetBytes(data, CFRangeMake(1, 2), &bytes)
        #expect(bytes == [2, 3])
        for range in [CFRangeMake(2, 2), CFRangeMake(-1, 1), CFRangeMake(0, -1), CFRangeMake(.max, 1), CFRange()] {
            CFDataGetBytes(data, range, &bytes)
            #expect(bytes == [2, 3])
        }
    }

    @Test func `dates, identifiers, bundles and descriptions`() throws {
        #expect(CFDateGetAbsoluteTime(CFDateCreate(nil, 5)) == 5)
        #expect((CFDateCreate(nil, 0) as Date).timeIntervalSince1970 == kCFAbsoluteTimeIntervalSince1970)
        let text = try #require(CFUUIDCreateString(nil, CFUUIDCreate(nil)))
        #expect(CFUUIDCreateString(nil, CFUUIDCreateFromString(nil, text)) == text)
        #expect(CFUUIDCreateFromString(nil, "x" as CFString) == nil)
        #expect(CFBundleGetMainBundle() === Bundle.main)
        #expect(CFBundleGetIdentifier(Bundle.main) as String? == Bundle.main.bundleIdentifier)
        #expect(CFBundleGetValueForInfoDictionaryKey(Bundle.main, "absent" as CFString) == nil)
        #expect(kCFBundleIdentifierKey as String == "CFBundleIdentifier")
        #expect(CFCopyTypeIDDescription(CFStringGetTypeID()) == "CFString")
        #expect(CFGetRetainCount(NSObject()) >= 1)
        #expect(CFGetRetainCount(nil) == 0)
        let error: CFError = CFErrorCreate(
            nil,
            "d" as CFString,
            1,
            [NSLocalizedRecoverySuggestionErrorKey: "try again"] as CFDictionary
        )
        #expect(CFErrorCopyRecoverySuggestion(error) == "try again")
    }
}
