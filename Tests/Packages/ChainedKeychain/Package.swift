// swift-tools-version:5.9

import Foundation
import PackageDescription

// A wrapper whose options are chained: `Keychain(service: "s").accessibility(.afterFirstUnlock)["key"] = "value"`.
// Nothing of ours is in its sources, some of which rely on Foundation to bring Security along. It is built by the
// toolset, and by this manifest where CHATELAINE_PACKAGE names our folder.
let chatelaine = ProcessInfo.processInfo.environment["CHATELAINE_PACKAGE"]
let products: [Target.Dependency] = [
    .product(name: "Security", package: "chatelaine", condition: .when(platforms: [.linux])),
    .product(name: "LocalAuthentication", package: "chatelaine", condition: .when(platforms: [.linux])),
]
let plugins: [Target.PluginUsage] = [.plugin(name: "ImportSecurity", package: "chatelaine")]

let package = Package(
    name: "ChainedKeychain",
    platforms: [.iOS(.v13), .macOS(.v10_15), .tvOS(.v13), .watchOS(.v6)],
    products: [.library(name: "ChainedKeychain", targets: ["ChainedKeychain"])],
    dependencies: chatelaine.map { [.package(name: "chatelaine", path: $0)] } ?? [],
    targets: [
        .target(
            name: "ChainedKeychain",
            dependencies: chatelaine == nil ? [] : products,
            plugins: chatelaine == nil ? [] : plugins
        ),
        .testTarget(
            name: "ChainedKeychainTests",
            dependencies: ["ChainedKeychain"] + (chatelaine == nil ? [] : products),
            plugins: chatelaine == nil ? [] : plugins
        ),
    ]
)
