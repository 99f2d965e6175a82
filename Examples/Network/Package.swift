// swift-tools-version:6.2

// Examples that need a network. They are a package of their own, so that nobody else fetches SwiftNIO.
// `scripts/examples.sh` builds and tries them.

import PackageDescription

/// As any program that uses this package would be compiled.
let settings: [SwiftSetting] = [.swiftLanguageMode(.v6)]

let package = Package(
    name: "network-examples",
    platforms: [.macOS(.v14)],
    products: [
        .executable(name: "enclave-tls", targets: ["EnclaveTLS"]),
        .executable(name: "finger-login", targets: ["FingerLogin"]),
    ],
    dependencies: [
        .package(name: "chatelaine", path: "../.."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // TLS whose client proves itself with a key of the Secure Enclave.
        .executableTarget(
            name: "EnclaveTLS",
            dependencies: [
                .product(name: "Security", package: "chatelaine"),
                .product(name: "LocalAuthentication", package: "chatelaine"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "EnclaveTLS",
            swiftSettings: settings
        ),
        // A login without a password: a key of the Secure Enclave that asks for a finger.
        .executableTarget(
            name: "FingerLogin",
            dependencies: [
                .product(name: "Security", package: "chatelaine"),
                .product(name: "LocalAuthentication", package: "chatelaine"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "FingerLogin",
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
