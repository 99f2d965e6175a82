public import Foundation

/// The kinds of numbers that a `CFNumber` is made from and read as.
public enum CFNumberType: CFIndex, Sendable {
    case sInt8Type = 1
    case sInt16Type = 2
    case sInt32Type = 3
    case sInt64Type = 4
    case float32Type = 5
    case float64Type = 6
    case charType = 7
    case shortType = 8
    case intType = 9
    case longType = 10
    case longLongType = 11
    case floatType = 12
    case doubleType = 13
    case cfIndexType = 14
    case nsIntegerType = 15
    case cgFloatType = 16

    /// The highest number of a type.
    public static var maxType: CFNumberType { .cgFloatType }
}

/// Makes a number from the memory that holds one of the given type.
@discardableResult
public func CFNumberCreate(
    _ allocator: CFAllocator!,
    _ theType: CFNumberType,
    _ valuePtr: UnsafeRawPointer!
) -> CFNumber! {
    guard let value = unsafe valuePtr else { return nil }
    return switch theType {
    case .sInt8Type, .charType: NSNumber(value: unsafe value.loadUnaligned(as: Int8.self))
    case .sInt16Type, .shortType: NSNumber(value: unsafe value.loadUnaligned(as: Int16.self))
    case .sInt32Type, .intType: NSNumber(value: unsafe value.loadUnaligned(as: Int32.self))
    case .sInt64Type, .longType, .longLongType, .cfIndexType, .nsIntegerType:
        NSNumber(value: unsafe value.loadUnaligned(as: Int64.self))
    case .float32Type, .floatType: NSNumber(value: unsafe value.loadUnaligned(as: Float.self))
    case .float64Type, .doubleType, .cgFloatType: NSNumber(value: unsafe value.loadUnaligned(as: Double.self))
    }
}

/// Writes a number as one of the given type.
///
/// - Returns: false if the type cannot hold it; something near is written all the same.
@discardableResult
public func CFNumberGetValue(
    _ number: CFNumber!,
    _ theType: CFNumberType,
    _ valuePtr: UnsafeMutableRawPointer!
) -> Bool {
    guard let number, let target = unsafe valuePtr else { return false }
    func write<Number: FixedWidthInteger>(_ type: Number.Type) -> Bool {
        if number.isFloatingPoint {
            let exact = Number(exactly: number.doubleValue)
            unsafe target.storeBytes(of: exact ?? Number(truncatingIfNeeded: number.int64Value), as: type)
            return exact != nil
        }
        let value = number.int64Value
        // As signed numbers, the largest unsigned ones wrap around.
        let isExact = (value < 0) == (number.compare(0) == .orderedAscending)
        unsafe target.storeBytes(of: Number(truncatingIfNeeded: value), as: type)
        return isExact && Number(exactly: value) != nil
    }
    switch theType {
    case .sInt8Type, .charType: return write(Int8.self)
    case .sInt16Type, .shortType: return write(Int16.self)
    case .sInt32Type, .intType: return write(Int32.self)
    case .sInt64Type, .longType, .longLongType, .cfIndexType, .nsIntegerType: return write(Int64.self)
    case .float32Type, .floatType:
        unsafe target.storeBytes(of: number.floatValue, as: Float.self)
        return Double(number.floatValue) == number.doubleValue
    case .float64Type, .doubleType, .cgFloatType:
        unsafe target.storeBytes(of: number.doubleValue, as: Double.self)
        return number.isFloatingPoint || Int64(exactly: number.doubleValue) == number.int64Value
    }
}

extension NSNumber {
    fileprivate var isFloatingPoint: Bool {
        let kind = unsafe UInt8(bitPattern: objCType.pointee)
        return kind == UInt8(ascii: "f") || kind == UInt8(ascii: "d")
    }
}
