// swift-tools-version:6.2
import PackageDescription

// scripts/fuzz.sh builds this: it sets CHATELAINE_FUZZING, which makes the package above offer its inner modules, compiled
// with the coverage that libFuzzer is guided by.

/// The code of the fuzzers is checked for faults of memory as well, but it guides nobody.
let checked: [SwiftSetting] = [.unsafeFlags(["-sanitize=address"])]

/// An executable that hands bytes to one decoder.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["FuzzSupport", .product(name: "KeychainInternals", package: "chatelaine")] + dependencies,
        swiftSettings: checked,
        // gold, Swift's default, breaks off with an internal error over the sanitizer's library.
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]
    )
}

/// What edits rows.
let rows: [Target.Dependency] = [
    "FuzzRowSupport", .product(name: "GRDB", package: "GRDB.swift"), .product(name: "Crypto", package: "swift-crypto"),
]

let package = Package(
    name: "keychain-fuzz",
    dependencies: [
        .package(name: "chatelaine", path: ".."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // libFuzzer's entry, which has no header of its own.
        .target(name: "CLibFuzzer"),
        .target(name: "FuzzSupport", dependencies: ["CLibFuzzer"], swiftSettings: checked),
        // A keychain whose keys are known.
        .target(
            name: "FuzzRowSupport",
            dependencies: [
                .product(name: "KeychainInternals", package: "chatelaine"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: checked
        ),
        fuzzer("FuzzQueries", [.product(name: "Logging", package: "swift-log")]),
        fuzzer("FuzzMetadata"),
        fuzzer("FuzzSecrets"),
        fuzzer("FuzzAccessControl"),
        fuzzer("FuzzRows", rows),
        fuzzer("FuzzSealedRows", rows),
        fuzzer("FuzzKeybag", [.product(name: "Crypto", package: "swift-crypto")]),
        fuzzer("FuzzBackup", [.product(name: "Crypto", package: "swift-crypto")]),
        fuzzer("FuzzImport"),
        fuzzer("FuzzCredentials"),
        fuzzer("FuzzSshAgent", [.product(name: "Crypto", package: "swift-crypto")]),
        fuzzer("FuzzPasskeys", [.product(name: "Crypto", package: "swift-crypto")]),
        fuzzer("FuzzEntitlements"),
        fuzzer("FuzzCertificates"),
        fuzzer("FuzzKeys"),
        fuzzer("FuzzTrust"),
        fuzzer("FuzzRevocationResponses"),
        fuzzer("FuzzRevocationLists"),
        fuzzer("FuzzExchange"),
        fuzzer("FuzzSignatures"),
        fuzzer("FuzzFrames"),
        fuzzer("FuzzEnclaveMessages"),
        fuzzer("FuzzSyncBlobs"),
        fuzzer("FuzzSyncCircle", [.product(name: "Crypto", package: "swift-crypto")]),
    ],
    swiftLanguageModes: [.v6]
)
