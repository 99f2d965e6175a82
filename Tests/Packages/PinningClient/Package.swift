// swift-tools-version:5.9

import Foundation
import PackageDescription

// A program that uses a library of somebody else's which turns code on where there is a Security. It is built by the
// toolset, and by this manifest where CHATELAINE_PACKAGE names our folder.
let chatelaine = ProcessInfo.processInfo.environment["CHATELAINE_PACKAGE"]

let package = Package(
    name: "PinningClient",
    dependencies: [.package(path: "../Pinning")]
        + (chatelaine.map { [.package(name: "chatelaine", path: $0)] } ?? []),
    targets: [
        .executableTarget(
            name: "PinningClient",
            dependencies: [.product(name: "Pinning", package: "Pinning")]
                + (chatelaine == nil
                    ? []
                    : [.product(name: "Security", package: "chatelaine", condition: .when(platforms: [.linux]))])
        )
    ]
)
