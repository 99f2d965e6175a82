/// Something in a package that matters on Linux, and what to do about it (docs/porting.md).
enum PortTopic: String, CaseIterable {
    case dataPointer = "ERROR: pointers into a temporary NSData"
    case turnedOnImport = "ERROR: an import that Linux lacks, in code that canImport turns on"
    case security = "import Security"
    case localAuthentication = "import LocalAuthentication"
    case cryptoKit = "import CryptoKit"
    case commonCrypto = "import CommonCrypto"
    case turnedOn = "code that canImport turns on"
    case implicitSecurity = "names of Security without its import"
    case implicitNetworking = "names of FoundationNetworking without its import"
    case appleOnly = "an import that Linux has not"
    case ownSecurityTypes = "types of its own with names of Security"
    case ownStatus = "an OSStatus of its own"
    case serverTrust = "serverTrust"
    case hiddenImport = "an import of Security that is not exported"
    case objectiveC = "Objective-C"
    case accessGroups = "access groups"
    case dataProtection = "kSecUseDataProtectionKeychain"
    case platformCondition = "a condition that leaves Linux out"
    case bundleIdentifier = "the program's bundle identifier"
    case bundleForClass = "a bundle of a class"
    case testLists = "lists of tests for Linux"

    var advice: String {
        switch self {
        case .dataPointer:
            "on Linux the memory is freed before it is read, and a digest or a key of it is RUBBISH: use withUnsafeBytes"
        case .turnedOnImport:
            "it builds without the keychain's modules, and not with them: chatelaine swift --hide MODULE build"
        case .turnedOn: "it is compiled here too; if it is not for Linux, chatelaine swift --hide MODULE build"
        case .implicitNetworking: "add #if canImport(FoundationNetworking), import FoundationNetworking, #endif"
        case .ownStatus: "nothing where it is Int32, as ours; else leave it out where Security can be imported"
        case .bundleIdentifier: "it is nil without an Info.plist beside the program, with the identifier written out"
        case .bundleForClass: "on Linux it is the program's own bundle: hand the folder of test data over"
        case .testLists: "delete them: with such a file swift test may run the tests of its lists alone"
        case .security: "add the product Security"
        case .localAuthentication: "add the product LocalAuthentication"
        case .cryptoKit: "add the product CryptoKit, or build with chatelaine-cryptokit.json"
        case .commonCrypto: "add the product CommonCrypto, or build with chatelaine-commoncrypto.json"
        case .implicitSecurity: "add the plugin ImportSecurity, or build with chatelaine.json"
        case .appleOnly: "put the import and what needs it under #if canImport(…)"
        case .ownSecurityTypes: "do not use the plugin: build with chatelaine-explicit.json, or add the product alone"
        case .serverTrust:
            "it compiles by a toolset, and Linux NEVER calls it: pinning does not protect there"
        case .hiddenImport: "files that rely on this import need one of their own, or the plugin"
        case .objectiveC: "put @objc, #selector and key-value observing under #if canImport(ObjectiveC)"
        case .accessGroups:
            "put the entitlements beside the program as PROGRAM.entitlements, and the team into CHATELAINE_TEAM"
        case .dataProtection: "nothing: there is one keychain, which is this one"
        case .platformCondition: "say #if canImport(Security) instead"
        }
    }

    /// Modules of Apple's that no package for Linux has under these names.
    static let appleModules: Set = [
        "UIKit", "AppKit", "SwiftUI", "Combine", "Compression", "os", "OSLog", "WatchKit", "Cocoa", "CoreData",
        "AuthenticationServices", "SystemConfiguration", "Darwin", "MachO", "System", "Network", "CFNetwork", "zlib",
        "CoreServices", "CoreGraphics", "IOKit", "ObjectiveC",
    ]
}
