import CoreFoundationAliases
import Foundation
import Testing

@Suite("Core Foundation types and functions")
struct CoreFoundationTests {
    /// Values as a dictionary hands them to the parser: boxed, bridged and unboxed.
    private static func throughDictionary(_ value: Any) -> NSNumber? {
        (["k": value] as [String: Any] as CFDictionary).object(forKey: "k") as? NSNumber
    }

    @Test func `a truth value is told from a number, however it was made`() throws {
        let propertyList = """
            <plist version="1.0"><array><true/><false/><integer>1</integer><integer>0</integer></array></plist>
            """
        let list = try #require(
            try PropertyListSerialization.propertyList(from: Data(propertyList.utf8), format: nil) as? [Any]
        )
        let json = try #require(try JSONSerialization.jsonObject(with: Data("[true, false, 1, 0]".utf8)) as? [Any])
        let yes: CFBoolean = true
        let booleans: [Any] = [
            true, false, yes, NSNumber(value: true), NSNumber(value: false), NSNumber(booleanLiteral: true),
            true as NSNumber, kCFBooleanTrue!, kCFBooleanFalse!, list[0], list[1], json[0], json[1],
            NSNumber(value: true).copy(),
        ]
        for value in booleans {
            let direct = try #require(value as? NSNumber)
            #expect(isBoolean(direct))
            #expect(CFGetTypeID(direct) == CFBooleanGetTypeID())
            let bridged = try #require(Self.throughDictionary(value))
            #expect(isBoolean(bridged))
        }

        let one: CFNumber = 1
        let numbers: [Any] = [
            1, 0, one, NSNumber(value: 1), NSNumber(value: 0), NSNumber(value: Int8(1)), NSNumber(value: Int8(0)),
            NSNumber(value: Int8(-1)), NSNumber(value: Int8(100)), NSNumber(value: UInt8(1)), NSNumber(value: Int32(1)),
            Int8(1), UInt8(1), Int64(1), 1.0, Float(1), NSDecimalNumber(value: 1), NSNumber(value: 1.0),
            list[2], list[3], json[2], json[3], NSNumber(value: 1).copy(),
        ]
        for value in numbers {
            let direct = try #require(value as? NSNumber)
            #expect(!isBoolean(direct))
            #expect(CFGetTypeID(direct) == CFNumberGetTypeID())
            let bridged = try #require(Self.throughDictionary(value))
            #expect(!isBoolean(bridged))
        }
    }

    @Test func `truth values keep their kind in mutable dictionaries and arrays`() throws {
        let dictionary = NSMutableDictionary()
        dictionary["yes"] = true
        dictionary["one"] = 1
        dictionary.setValue(kCFBooleanTrue, forKey: "constant")
        #expect(isBoolean(try #require(dictionary["yes"] as? NSNumber)))
        #expect(isBoolean(try #require(dictionary["constant"] as? NSNumber)))
        #expect(!isBoolean(try #require(dictionary["one"] as? NSNumber)))
        let array = [true, 1] as [Any] as NSArray
        #expect(isBoolean(try #require(array[0] as? NSNumber)))
        #expect(!isBoolean(try #require(array[1] as? NSNumber)))
    }

    @Test func `types have identifiers of their own`() {
        let objects: [(CFTypeRef, CFTypeID)] = [
            ("s" as CFString, CFStringGetTypeID()), (Data([1]) as CFData, CFDataGetTypeID()),
            ([1] as CFArray, CFArrayGetTypeID()), (["a": 1] as CFDictionary, CFDictionaryGetTypeID()),
            (NSMutableDictionary(), CFDictionaryGetTypeID()), (1 as CFNumber, CFNumberGetTypeID()),
            (kCFBooleanTrue, CFBooleanGetTypeID()), (Date() as CFDate, CFDateGetTypeID()),
            (kCFNull, CFNullGetTypeID()), (NSError(domain: "d", code: 1), CFErrorGetTypeID()),
            ("s" as AnyObject, CFStringGetTypeID()), (true as AnyObject, CFBooleanGetTypeID()),
            (Own(), Own.cfTypeID),
        ]
        for (object, identifier) in objects {
            #expect(CFGetTypeID(object) == identifier)
        }
        #expect(CFGetTypeID(NSObject()) == 1)
        #expect(Set(objects.map(\.1)).count == 10)
    }

    private final class Own: NSObject, CFTypeIdentified {
        static let cfTypeID: CFTypeID = 300
    }

    @Test func `equality looks at type and value`() {
        #expect(CFEqual("a" as CFString, NSMutableString(string: "a")))
        #expect(!CFEqual("a" as CFString, "b" as CFString))
        #expect(CFEqual(kCFBooleanTrue, 1 as CFNumber) && !CFEqual(kCFBooleanTrue, 2 as CFNumber))
        #expect(CFEqual(0 as CFNumber, kCFBooleanFalse) && !CFEqual(kCFBooleanFalse, 1 as CFNumber))
        #expect(!CFEqual("a" as CFString, nil))
        let flags = ["a": kCFBooleanTrue as Any, "b": [kCFBooleanFalse as Any, "x"]] as NSDictionary
        let numbers = ["a": 1, "b": [0, "x"] as [Any]] as NSDictionary
        #expect(CFEqual(flags, numbers) && CFEqual(numbers, flags))
        #expect(CFEqual([flags] as NSArray, [numbers] as NSArray))
        let others: [NSDictionary] = [
            ["a": 2, "b": [0, "x"] as [Any]], ["a": 1, "b": [1, "x"] as [Any]], ["a": 1, "b": [0] as [Any]],
            ["a": 1, "c": [0, "x"] as [Any]], ["a": 1], [:],
        ]
        for other in others { #expect(!CFEqual(flags, other) && !CFEqual(other, flags)) }
        #expect(!CFEqual([1] as NSArray, [kCFBooleanTrue as Any, 1] as NSArray))
        #expect(CFHash("a" as CFString) == CFHash(NSMutableString(string: "a")))
    }

    @Test func `an error gives back what it was made from`() {
        let error: CFError = CFErrorCreate(kCFAllocatorDefault, "domain" as CFString, -50, ["k": "v"] as CFDictionary)
        #expect(CFErrorGetCode(error) == -50)
        #expect(CFErrorGetDomain(error) as String == "domain")
        #expect((CFErrorCopyUserInfo(error) as? [String: String])?["k"] == "v")
        #expect(CFErrorCopyDescription(error).length > 0)
        let bare: CFError = CFErrorCreate(nil, NSOSStatusErrorDomain as CFString, Int(noErr), nil)
        #expect(bare.domain == "NSOSStatusErrorDomain")
    }

    @Test func `what a collection lends lives as long as the collection`() throws {
        let text = "a string too long to be kept inside a pointer"
        let dictionary = ["s": text, "d": Data([1, 2]), "b": true] as [String: Any] as CFDictionary
        let values: [(NSString, NSObject)] = [
            ("s", text as NSString), ("d", Data([1, 2]) as NSData), ("b", true as NSNumber),
        ]
        for _ in 0..<3 {
            for (key, value) in values {
                let pointer = try #require(
                    unsafe CFDictionaryGetValue(dictionary, Unmanaged.passUnretained(key).toOpaque())
                )
                let lent = unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
                #expect(CFEqual(lent, value))
            }
        }
        let missing: NSString = "missing"
        #expect(unsafe CFDictionaryGetValue(dictionary, Unmanaged.passUnretained(missing).toOpaque()) == nil)
        let array = ["first", "second"] as CFArray
        let first = unsafe CFArrayGetValueAtIndex(array, 0)
        let second = unsafe CFArrayGetValueAtIndex(array, 1)
        #expect(unsafe Unmanaged<NSString>.fromOpaque(first!).takeUnretainedValue() == "first")
        #expect(unsafe Unmanaged<NSString>.fromOpaque(second!).takeUnretainedValue() == "second")
        #expect(CFArrayGetCount(array) == 2)
    }

    @Test func `a mutable dictionary takes values by pointer`() {
        let dictionary = NSMutableDictionary()
        let key: NSString = "k"
        let first: NSString = "first"
        let second: NSString = "second"
        let keyPointer = unsafe UnsafeRawPointer(Unmanaged.passUnretained(key).toOpaque())
        unsafe CFDictionaryAddValue(dictionary, keyPointer, Unmanaged.passUnretained(first).toOpaque())
        unsafe CFDictionaryAddValue(dictionary, keyPointer, Unmanaged.passUnretained(second).toOpaque())
        #expect(dictionary["k"] as? String == "first")
        unsafe CFDictionarySetValue(dictionary, keyPointer, Unmanaged.passUnretained(second).toOpaque())
        #expect(dictionary["k"] as? String == "second")
        #expect(unsafe CFDictionaryContainsKey(dictionary, keyPointer))
        unsafe CFDictionaryRemoveValue(dictionary, keyPointer)
        #expect(CFDictionaryGetCount(dictionary) == 0)
        dictionary.setObject(1, forKey: key as any NSCopying)
        dictionary.setObject(2, forKey: "k2")
        dictionary.setObject(3, forKey: key)
        #expect(dictionary["k"] as? Int == 3)
        #expect(dictionary["k2"] as? Int == 2)
        dictionary.setValue(nil, forKey: "k")
        #expect(dictionary["k"] == nil)
    }

    @Test func `data gives its bytes`() {
        let data = Data([1, 2, 3]) as CFData
        let pointer = unsafe CFDataGetBytePtr(data)
        #expect(CFDataGetLength(data) == 3)
        #expect(unsafe pointer![2] == 3)
        let bytes: [UInt8] = [4, 5]
        #expect(unsafe CFDataCreate(nil, bytes, 2) as Data == Data(bytes))
    }
}

@Suite("Map tables")
struct MapTableTests {
    private final class Key {}

    @Test func `a strong table compares keys by value`() {
        let table = NSMapTable<NSString, NSNumber>.strongToStrongObjects()
        table.setObject(1, forKey: "a")
        table.setObject(2, forKey: NSString(string: "a"))
        #expect(table.count == 1)
        #expect(table.object(forKey: "a") == 2)
        table.removeObject(forKey: "a")
        #expect(table.object(forKey: "a") == nil)
        table.setObject(1, forKey: "b")
        table.removeAllObjects()
        #expect(table.count == 0)
    }

    @Test func `weak keys and values disappear with their objects`() {
        let byKey = NSMapTable<Key, NSString>.weakToStrongObjects()
        let byValue = NSMapTable<NSString, Key>.strongToWeakObjects()
        let both = NSMapTable<Key, Key>.weakToWeakObjects()
        var key: Key? = Key()
        byKey.setObject("v", forKey: key)
        byValue.setObject(key, forKey: "k")
        both.setObject(key, forKey: key)
        #expect(byKey.count == 1 && byValue.count == 1 && both.count == 1)
        #expect(byKey.object(forKey: key) == "v")
        #expect(byValue.object(forKey: "k") === key)
        key = nil
        #expect(byKey.count == 0 && byValue.count == 0 && both.count == 0)
    }
}

@Suite("Functions of memory")
struct MemoryFunctionTests {
    @Test
    func `memory is compared whole, and filled as far as there is any`() {
        let bytes: [UInt8] = [1, 2, 3, 4]
        #expect(timingsafe_bcmp(bytes, bytes.map { $0 }, 4) == 0)
        for index in 0..<4 {
            for bit in 0..<8 {
                var other = bytes
                other[index] ^= 1 << bit
                #expect(timingsafe_bcmp(bytes, other, 4) != 0)
            }
        }
        #expect(timingsafe_bcmp(bytes, [1, 2, 9, 9] as [UInt8], 2) == 0)
        #expect(timingsafe_bcmp(bytes, [1, 2, 9, 9] as [UInt8], 3) != 0)
        #expect(timingsafe_bcmp(nil, nil, 0) == 0)

        var memory = bytes
        #expect(memset_s(&memory, 4, 0x1FF, 2) == 0 && memory == [0xFF, 0xFF, 3, 4])
        #expect(memset_s(&memory, 3, 0, 4) == EOVERFLOW && memory == [0, 0, 0, 4])
        memory = bytes
        #expect(memset_s(&memory, 4, 0, -1) == E2BIG && memory == [0, 0, 0, 0])
        #expect(memset_s(nil, 4, 0, 4) == EINVAL)
        memory = bytes
        #expect(memset_s(&memory, -1, 0, 4) == E2BIG && memory == bytes)
    }
}
