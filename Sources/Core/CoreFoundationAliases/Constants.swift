public import Foundation

/// The result code of success.
public var noErr: OSStatus { 0 }

/// Whether the program was built for a simulator: never, on Linux.
public var TARGET_OS_SIMULATOR: Int32 { 0 }

/// The truth value true.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)

/// The truth value false.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)

/// The only value of `CFNull`.
public let kCFNull: CFNull! = NSNull()
