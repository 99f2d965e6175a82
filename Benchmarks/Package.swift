// swift-tools-version:6.1
import PackageDescription

let package = Package(
    name: "keychain-benchmarks",
    dependencies: [
        .package(name: "chatelaine", path: ".."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        // Without its traits it neither replaces malloc nor counts retains, which would slow what it measures.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        // Keychains to measure, and the floors to measure them against.
        .target(
            name: "KeychainSamples",
            dependencies: [
                .product(name: "Security", package: "chatelaine"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        // Times and tables.
        .target(name: "KeychainMeasuring"),
        .target(name: "CAllocator"),
        .executableTarget(
            name: "keychain-ratio",
            dependencies: [
                "KeychainSamples", "KeychainMeasuring", "CAllocator",
                // Run, not linked: it fills keychains from inside, where a client of Security does not come.
                .product(name: "keychain-filler", package: "chatelaine"),
                // The same, by what counts instructions.
                .product(name: "call-count", package: "chatelaine"),
            ]
        ),
        .executableTarget(
            name: "service-ratio",
            dependencies: [
                "KeychainSamples", "KeychainMeasuring",
                .product(name: "Security", package: "chatelaine"),
                // Run, not linked.
                .product(name: "chatelained", package: "chatelaine"),
            ]
        ),
        .executableTarget(
            name: "key-ratio",
            dependencies: [
                "KeychainMeasuring",
                .product(name: "Security", package: "chatelaine"),
                .product(name: "CryptoSecureEnclave", package: "chatelaine"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .executableTarget(
            name: "passkey-ratio",
            dependencies: [
                "KeychainMeasuring",
                .product(name: "Security", package: "chatelaine"),
                .product(name: "CryptoSecureEnclave", package: "chatelaine"),
                .product(name: "Crypto", package: "swift-crypto"),
                // Run, not linked.
                .product(name: "chatelained", package: "chatelaine"),
                .product(name: "chatelaine", package: "chatelaine"),
                .product(name: "chatelaine-passkeys", package: "chatelaine"),
            ]
        ),
        .executableTarget(
            name: "KeychainBenchmarks",
            dependencies: [
                "KeychainSamples",
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/KeychainBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
