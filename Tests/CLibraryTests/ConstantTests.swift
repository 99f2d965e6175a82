import CSecurity
import Foundation
import Testing

/// The constants of the library, as the loader gives them to programs.
@Suite("Constants for C")
struct ConstantTests {
    /// Names and values, as they were generated from the Swift constants.
    private func declared() throws -> [(name: String, value: String)] {
        let path = CProgram.package + "/Sources/Facades/CSecurity/Constants.c"
        let source = try String(contentsOfFile: path, encoding: .utf8)
        return source.matches(of: /SECURITY_CONSTANT\((\w+), "([^"]*)"\)/).map { (String($0.1), String($0.2)) }
    }

    @Test func `every constant is a string of Core Foundation with the value of the Swift one`() throws {
        let library = try #require(dlopen(CProgram.library, RTLD_NOW | RTLD_LOCAL))
        let constants = try declared()
        #expect(constants.count > 300)
        for (name, value) in constants {
            let symbol = try #require(dlsym(library, name), "\(name)")
            let pointer = try #require(symbol.load(as: UnsafeRawPointer?.self))
            let object = Unmanaged<CFString>.fromOpaque(pointer).takeUnretainedValue()
            #expect(CFGetTypeID(object) == CFStringGetTypeID())
            #expect(CFStringGetLength(object) == value.utf16.count)
            let made = CFStringCreateWithCString(nil, value, CFStringBuiltInEncodings.UTF8.rawValue)
            #expect(CFEqual(object, made), "\(name)")
            #expect(CFHash(object) == CFHash(made), "\(name)")
        }
    }

    /// The layout is written down without Core Foundation's headers, which C targets do not find.
    @Test func `constants are laid out as Core Foundation's headers say`() throws {
        let library = try #require(dlopen(CProgram.library, RTLD_NOW | RTLD_LOCAL))
        let symbol = try #require(dlsym(library, "kSecClass"))
        let string = try #require(symbol.load(as: UnsafePointer<__CFConstStr>?.self)).pointee
        #expect(string._length == 5)
        #expect(string._ptr.map { String(cString: $0) } == "class")
        #expect(string._base._cfinfoa == 0x7c8)
        #expect(MemoryLayout<__CFConstStr>.size <= 40)
    }
}
