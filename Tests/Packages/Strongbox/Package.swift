// swift-tools-version:5.9

import Foundation
import PackageDescription

// A wrapper of boxes that are named once, and then keep what they were made with: `box.setString("value", forKey: "key")`.
// Nothing of ours is in its sources, some of which rely on Foundation to bring Security along. It is built by the
// toolset, and by this manifest where CHATELAINE_PACKAGE names our folder.
let chatelaine = ProcessInfo.processInfo.environment["CHATELAINE_PACKAGE"]
let products: [Target.Dependency] = [
    .product(name: "Security", package: "chatelaine", condition: .when(platforms: [.linux]))
]
let plugins: [Target.PluginUsage] = [.plugin(name: "ImportSecurity", package: "chatelaine")]

let package = Package(
    name: "Strongbox",
    platforms: [.iOS(.v13), .macOS(.v10_15), .tvOS(.v13), .watchOS(.v6)],
    products: [.library(name: "Strongbox", targets: ["Strongbox"])],
    dependencies: chatelaine.map { [.package(name: "chatelaine", path: $0)] } ?? [],
    targets: [
        .target(
            name: "Strongbox",
            dependencies: chatelaine == nil ? [] : products,
            plugins: chatelaine == nil ? [] : plugins
        ),
        .testTarget(
            name: "StrongboxTests",
            dependencies: ["Strongbox"] + (chatelaine == nil ? [] : products),
            plugins: chatelaine == nil ? [] : plugins
        ),
    ]
)
