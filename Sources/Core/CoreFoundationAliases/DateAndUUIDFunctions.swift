public import Foundation

/// Seconds from 1970 to 2001, the beginning of `CFAbsoluteTime`.
public let kCFAbsoluteTimeIntervalSince1970: CFTimeInterval = 978_307_200

/// Makes a date.
@discardableResult
public func CFDateCreate(_ allocator: CFAllocator!, _ at: CFAbsoluteTime) -> CFDate! {
    NSDate(timeIntervalSinceReferenceDate: at)
}

/// The seconds from 2001 to a date.
@discardableResult
public func CFDateGetAbsoluteTime(_ theDate: CFDate!) -> CFAbsoluteTime {
    theDate.timeIntervalSinceReferenceDate
}

/// Makes a unique identifier.
@discardableResult
public func CFUUIDCreate(_ alloc: CFAllocator!) -> CFUUID! {
    NSUUID()
}

/// Reads an identifier from its text; nil if the text is invalid.
@discardableResult
public func CFUUIDCreateFromString(_ alloc: CFAllocator!, _ uuidStr: CFString!) -> CFUUID! {
    NSUUID(uuidString: String(describing: uuidStr as NSString))
}

/// The text of an identifier.
@discardableResult
public func CFUUIDCreateString(_ alloc: CFAllocator!, _ uuid: CFUUID!) -> CFString! {
    NSString(string: uuid.uuidString)
}
