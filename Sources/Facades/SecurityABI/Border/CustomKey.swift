import CSecurity
import Foundation

/// A key that a C program implements itself, by a table of functions. The keychain knows nothing of it.
@safe
final class CustomKey: NSObject, CustomObject, @unchecked Sendable {
    // `@unchecked`: all but the flag is constant; the flag is written before anybody else has the object.
    let functions: CSecurityKeyDescriptor
    private let table: UnsafeRawPointer
    /// Whether the program's first function has succeeded, so that its last one has something to destroy.
    private var isComplete = false

    private static let mostExtraBytes: UInt32 = 1 << 20

    /// - Returns: nil for a table of a later version, and for one that wants more memory than any key needs.
    private init?(_ table: UnsafeRawPointer) {
        let size = CSecurityKeyDescriptorSize(unsafe table.load(as: UInt32.self))
        guard size > 0 else { return nil }
        // What an earlier version lacks stays NULL.
        var functions = unsafe CSecurityKeyDescriptor()
        unsafe withUnsafeMutableBytes(of: &functions) { bytes in
            unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(start: table, count: size))
        }
        unsafe self.functions = unsafe functions
        unsafe self.table = unsafe table
        guard unsafe functions.extraBytes <= Self.mostExtraBytes else { return nil }
    }

    /// A new key, which the caller owns; nil where the table is none or its first function fails.
    static func make(
        _ table: UnsafeRawPointer,
        _ data: UnsafePointer<UInt8>?,
        _ length: Int,
        _ encoding: UInt32
    ) -> UnsafeRawPointer? {
        guard let key = unsafe CustomKey(table) else { return nil }
        let extraBytes = unsafe Int(key.functions.extraBytes)
        guard let pointer = unsafe SecType.key.instance(for: key, extraBytes: extraBytes) else { return nil }
        let object = unsafe UnsafeMutableRawPointer(mutating: pointer).assumingMemoryBound(to: CSecurityKeyObject.self)
        unsafe object.pointee.keyClass = unsafe table
        if extraBytes > 0 { unsafe object.pointee.key = unsafe UnsafeMutableRawPointer(object + 1) }
        if let initialize = unsafe key.functions.`init`, unsafe initialize(pointer, data, length, encoding) != 0 {
            unsafe OutgoingObject.release(pointer)
            return nil
        }
        key.isComplete = true
        return unsafe pointer
    }

    /// The key at a pointer, if it is one of these.
    static func at(_ pointer: UnsafeRawPointer?) -> CustomKey? {
        unsafe IncomingObject.held(pointer)?.object as? CustomKey
    }

    func destroy(_ pointer: UnsafeRawPointer) {
        if isComplete { unsafe functions.destroy?(pointer) }
    }

    /// Keys of different tables are different.
    func isEqual(_ pointer: UnsafeRawPointer, to other: any CustomObject, _ otherPointer: UnsafeRawPointer) -> Bool {
        if self === other { return true }
        guard let other = other as? CustomKey else { return false }
        guard unsafe table == other.table, let compare = unsafe functions.isEqual else { return false }
        return unsafe compare(pointer, otherPointer) != 0
    }

    /// Equal keys are of one table.
    override var hash: Int { unsafe Int(bitPattern: table) }

    /// What the program says of the key, owned by the caller.
    func text(of pointer: UnsafeRawPointer) -> UnsafeRawPointer? {
        unsafe functions.describe?(pointer)
    }

    override var description: String { "<SecKeyRef of a program's own>" }
}
