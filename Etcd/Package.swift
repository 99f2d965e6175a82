// swift-tools-version:6.2

// The transport over etcd, and what its operator uses. It is a package of its own, since gRPC brings fifteen others: nobody
// who builds the keychain fetches them. `scripts/etcd.sh` builds and tests it.

import PackageDescription

import class Foundation.ProcessInfo

let warningsAreErrors = ProcessInfo.processInfo.environment["CHATELAINE_WARNINGS_AS_ERRORS"] == "1"

let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [.unsafeFlags(["-suppress-warnings"])])

/// Our own code marks every use of an unsafe pointer.
let strict = settings + [.enableUpcomingFeature("MemberImportVisibility"), .strictMemorySafety()]

let package = Package(
    name: "chatelaine-etcd",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "chatelaine-etcd", targets: ["chatelaine-etcd"])
    ],
    dependencies: [
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
        .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.1"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // What the compiler of protocol buffers makes marks no use of a pointer.
        .target(
            name: "EtcdMessages",
            dependencies: [.product(name: "SwiftProtobuf", package: "swift-protobuf")],
            exclude: ["etcd.proto", "generated.sha256"],
            swiftSettings: settings
        ),
        // A circle's blobs in a cluster, and the protocol by which other programs have them.
        .target(
            name: "EtcdTransport",
            dependencies: [
                "EtcdMessages",
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
                .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf"),
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            swiftSettings: strict
        ),
        // What an operator does: certificates, users and roles, a look at the nodes.
        .target(
            name: "EtcdOperator",
            dependencies: [
                "EtcdMessages", "EtcdTransport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "chatelaine-etcd",
            dependencies: [
                "EtcdTransport", "EtcdOperator",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),
        // Many circles at once, for as long as somebody wants.
        .executableTarget(
            name: "etcd-load",
            dependencies: [
                "EtcdTransport", "EtcdOperator", "EtcdMessages",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "EtcdTests",
            dependencies: [
                "EtcdTransport", "EtcdOperator", "EtcdMessages", "chatelaine-etcd",
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
                .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf"),
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
