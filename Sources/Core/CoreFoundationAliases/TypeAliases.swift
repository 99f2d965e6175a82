public import Foundation

// On Apple's platforms each Core Foundation type is bridged, toll-free, to a Foundation class. Here they are one and
// the same class, so that every spelling of a dictionary converts with `as CFDictionary`; a class of our own would not.

/// Any object that Core Foundation functions take.
public typealias CFTypeRef = AnyObject

/// An immutable string.
public typealias CFString = NSString

/// A string that can change.
public typealias CFMutableString = NSMutableString

/// Raw bytes.
public typealias CFData = NSData

/// Raw bytes that can change.
public typealias CFMutableData = NSMutableData

/// A moment in time.
public typealias CFDate = NSDate

/// A number of any kind.
public typealias CFNumber = NSNumber

/// A truth value: an `NSNumber` made from a `Bool`, and no other `NSNumber`.
public typealias CFBoolean = NSNumber

/// The object that stands for the absence of one.
public typealias CFNull = NSNull

/// An ordered collection.
public typealias CFArray = NSArray

/// An ordered collection that can change.
public typealias CFMutableArray = NSMutableArray

/// A collection of keys and values.
public typealias CFDictionary = NSDictionary

/// A collection of keys and values that can change.
public typealias CFMutableDictionary = NSMutableDictionary

/// A collection of distinct objects.
public typealias CFSet = NSSet

/// A uniform resource locator.
public typealias CFURL = NSURL

/// A universally unique identifier.
public typealias CFUUID = NSUUID

/// An error with a domain and a code.
public typealias CFError = NSError

/// The name of a family of error codes.
public typealias CFErrorDomain = CFString

/// The number that tells one class of Core Foundation objects from another.
public typealias CFTypeID = UInt

/// A set of flags.
public typealias CFOptionFlags = UInt

/// A hash value.
public typealias CFHashCode = UInt

/// A count or a position.
public typealias CFIndex = Int

/// Seconds since 1 January 2001, UTC.
public typealias CFAbsoluteTime = Double

/// A duration in seconds.
public typealias CFTimeInterval = Double

/// Anything that a property list can hold.
public typealias CFPropertyList = CFTypeRef

/// A signed 8-bit integer.
public typealias SInt8 = Int8

/// A signed 16-bit integer.
public typealias SInt16 = Int16

/// A signed 32-bit integer.
public typealias SInt32 = Int32

/// A signed 64-bit integer.
public typealias SInt64 = Int64

/// The result code of a system function.
public typealias OSStatus = Int32

/// Four characters packed into a number, such as the value of `kSecAttrCreator`.
public typealias FourCharCode = UInt32

/// A four-character type code.
public typealias OSType = FourCharCode

/// A signed integer as wide as a pointer.
public typealias NSInteger = Int

/// An unsigned integer as wide as a pointer.
public typealias NSUInteger = UInt

/// Where a function leaves its error, if the caller gave it a place.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
