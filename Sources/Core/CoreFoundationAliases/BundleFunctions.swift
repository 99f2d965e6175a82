public import Foundation

/// A program or library with its resources and its information dictionary.
public typealias CFBundle = Bundle

/// The bundle of the running program.
@discardableResult
public func CFBundleGetMainBundle() -> CFBundle! {
    Bundle.main
}

/// The identifier of a bundle. A bare executable has one if an `Info.plist` stands beside it.
@discardableResult
public func CFBundleGetIdentifier(_ bundle: CFBundle!) -> CFString! {
    bundle.bundleIdentifier.map { NSString(string: $0) }
}

/// A value of a bundle's information dictionary, in the person's language if there is one in it.
@discardableResult
public func CFBundleGetValueForInfoDictionaryKey(_ bundle: CFBundle!, _ key: CFString!) -> CFTypeRef! {
    bundle.object(forInfoDictionaryKey: String(describing: key as NSString)).map { $0 as AnyObject }
}

/// A bundle's information dictionary.
@discardableResult
public func CFBundleGetInfoDictionary(_ bundle: CFBundle!) -> CFDictionary! {
    bundle.infoDictionary.map { $0 as NSDictionary }
}

// MARK: Keys of the information dictionary
//
// Unsafe only in name: the strings are immutable, but `NSString` is not Sendable, as some of its subclasses can change.

/// The identifier.
@safe nonisolated(unsafe) public let kCFBundleIdentifierKey: CFString! = "CFBundleIdentifier"

/// The name for people.
@safe nonisolated(unsafe) public let kCFBundleNameKey: CFString! = "CFBundleName"

/// The version of the build.
@safe nonisolated(unsafe) public let kCFBundleVersionKey: CFString! = "CFBundleVersion"

/// The name of the executable.
@safe nonisolated(unsafe) public let kCFBundleExecutableKey: CFString! = "CFBundleExecutable"

/// The version of the dictionary's form.
@safe nonisolated(unsafe) public let kCFBundleInfoDictionaryVersionKey: CFString! = "CFBundleInfoDictionaryVersion"

/// The language in which the program was written.
@safe nonisolated(unsafe) public let kCFBundleDevelopmentRegionKey: CFString! = "CFBundleDevelopmentRegion"

/// The languages that the program speaks.
@safe nonisolated(unsafe) public let kCFBundleLocalizationsKey: CFString! = "CFBundleLocalizations"
