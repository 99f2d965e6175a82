// swift-tools-version:5.9
import PackageDescription

// A program that keeps something in the keychain, and depends on packages that are built for Linux without one.
let package = Package(
    name: "app",
    dependencies: [
        .package(path: "../Networking"), .package(path: "../TokenStore"), .package(path: "../StateKit"),
    ],
    targets: [
        .executableTarget(
            name: "app",
            dependencies: ["Networking", "TokenStore", .product(name: "AppState", package: "StateKit")]
        ),
        .testTarget(name: "AppTests", dependencies: ["Networking", .product(name: "AppState", package: "StateKit")]),
    ]
)
