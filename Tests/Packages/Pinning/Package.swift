// swift-tools-version:5.9

import PackageDescription

// A library for HTTP that also builds where there is no Security, and turns its code about certificates on where
// `#if canImport(Security)` holds. It depends on nothing of ours, by no condition: others bring Security along.
let package = Package(
    name: "Pinning",
    platforms: [.iOS(.v13), .macOS(.v10_15)],
    products: [.library(name: "Pinning", targets: ["Pinning"])],
    targets: [.target(name: "Pinning")]
)
