// swift-tools-version:6.2

import PackageDescription

import class Foundation.ProcessInfo

// Warnings stop our own builds and CI, never a dependant's: treating them as errors also hits packages that depend on
// this one by path, so it is switched on by the scripts and not here.
let warningsAreErrors = ProcessInfo.processInfo.environment["CHATELAINE_WARNINGS_AS_ERRORS"] == "1"

// The fuzzers, a package of their own, need our inner modules, instrumented. Nobody else is offered them.
let isFuzzed = ProcessInfo.processInfo.environment["CHATELAINE_FUZZING"] == "1"

// `make install` puts the façades' modules and one library in place for compilers that find nothing else of ours. Such
// modules are built with library evolution, without which they would ask for our inner modules.
let isInstalled = ProcessInfo.processInfo.environment["CHATELAINE_LIBRARY"] == "1"

/// What every Swift target is compiled with.
let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])
    + (isFuzzed ? [.unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"])] : [])

/// Our own code marks every use of an unsafe pointer; code written as a client of Apple's API cannot.
let strict: [SwiftSetting] = settings + [.strictMemorySafety()]

/// What the modules that other people's programs import are compiled with, besides.
let evolution: [SwiftSetting] =
    isInstalled ? [.unsafeFlags(["-enable-library-evolution", "-emit-module-interface"])] : []

/// What a module is compiled with that hides an import for good (`@_implementationOnly`). The compiler's warning that
/// this is meant for libraries with a stable ABI stays a warning.
let hiding: [SwiftSetting] = strict + [.treatWarning("ImplementationOnlyDeprecated", as: .warning)]

/// A module named Security turns on `#if canImport(Security)` in every package of a graph, also in those that do not
/// depend on it and so do not find the C modules of our inner targets. The façade therefore hides its imports, checked by
/// the feature here. KeychainTrust goes without: what conforms to a protocol of a module that it hides would make a module
/// that Swift 6.3.1 crashes on where it is imported.
let facade: [SwiftSetting] = hiding + evolution + [.enableExperimentalFeature("CheckImplementationOnly")]

let package = Package(
    name: "chatelaine",
    products: [
        .library(name: "Security", targets: ["Security"]),
        // The C library, which scripts/library.sh builds in its own way.
        .library(name: "SecurityABI", type: .dynamic, targets: ["SecurityABI"]),
        // Imports Security into targets whose files say `import Foundation` and no more.
        .plugin(name: "ImportSecurity", targets: ["ImportSecurity"]),
        .library(name: "LocalAuthentication", targets: ["LocalAuthentication"]),
        // CryptoKit's SecureEnclave, beside swift-crypto, and both under CryptoKit's name.
        .library(name: "CryptoSecureEnclave", targets: ["CryptoSecureEnclave"]),
        .library(name: "CryptoKit", targets: ["CryptoKit"]),
        .executable(name: "security", targets: ["SecurityTool"]),
        // The keychain service: the daemon, the process that alone may look at others, and the administrator's command.
        .executable(name: "chatelained", targets: ["chatelained"]),
        .executable(name: "chatelaine-identify", targets: ["chatelaine-identify"]),
        .executable(name: "chatelaine-prompt", targets: ["chatelaine-prompt"]),
        .executable(name: "chatelaine-enclave", targets: ["chatelaine-enclave"]),
        .executable(name: "chatelaine", targets: ["ChatelaineTool"]),
        .executable(name: "password-demo", targets: ["PasswordDemo"]),
        .executable(name: "guarded-note", targets: ["GuardedNote"]),
        .executable(name: "two-apps-mail", targets: ["TwoAppsMail"]),
        .executable(name: "two-apps-calendar", targets: ["TwoAppsCalendar"]),
        // For the benchmarks, which are a package of their own.
        .executable(name: "keychain-filler", targets: ["KeychainFiller"]),
    ]
        + (isInstalled
            ? [.library(name: "Chatelaine", type: .dynamic, targets: ["Security", "LocalAuthentication"])] : [])
        + (isFuzzed
            ? [
                .library(
                    name: "KeychainInternals",
                    targets: [
                        "KeychainCertificates", "KeychainTrust", "KeychainModel", "KeychainKeys", "KeychainEnclave",
                        "KeychainExchange", "KeychainPolicy", "KeychainVault", "KeychainStore",
                        "KeychainEngine", "EnclaveProtocol", "TPMEnclave", "KeychainBackup", "PasswordImport",
                        "KeychainProtocol", "KeychainClient", "KeychainServer", "CodeSignature", "ProgramTrailer",
                        "CoreFoundationAliases", "Security",
                    ]
                )
            ] : []),
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // Core: each target turns one type of an item's journey into the next.
        .target(
            name: "KeychainCertificates",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            path: "Sources/Core/KeychainCertificates",
            swiftSettings: strict
        ),
        .target(
            name: "KeychainTrust",
            dependencies: [
                // For linking alone: see there.
                "SecurityObjects",
                "KeychainCertificates", "CLinux",
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            path: "Sources/Core/KeychainTrust",
            swiftSettings: hiding
        ),
        .target(
            name: "KeychainModel",
            dependencies: ["KeychainCertificates", "CLinux"],
            path: "Sources/Core/KeychainModel",
            swiftSettings: strict
        ),
        // What keys do, by computing alone.
        .target(
            name: "KeychainKeys",
            dependencies: [
                "KeychainCertificates", "KeychainModel", "CLinux",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            path: "Sources/Core/KeychainKeys",
            swiftSettings: strict
        ),
        // The formats in which keys and certificates travel.
        .target(
            name: "KeychainExchange",
            dependencies: [
                "KeychainCertificates", "KeychainModel", "CLegacyCiphers", "CLinux",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            path: "Sources/Core/KeychainExchange",
            swiftSettings: strict
        ),
        // Who holds the keys: its code, and how the rest of the core speaks to it.
        .target(
            name: "KeychainEnclave",
            dependencies: [
                "KeychainCertificates", "KeychainModel", "CLinux",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            path: "Sources/Core/KeychainEnclave",
            swiftSettings: strict
        ),
        .target(
            name: "KeychainPolicy",
            dependencies: ["KeychainModel", "KeychainEnclave"],
            path: "Sources/Core/KeychainPolicy",
            swiftSettings: strict
        ),
        .target(
            name: "KeychainVault",
            dependencies: [
                "KeychainModel", "KeychainEnclave", "KeychainPolicy", "CLinux",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Sources/Core/KeychainVault",
            swiftSettings: strict
        ),
        .target(
            name: "KeychainStore",
            dependencies: [
                "KeychainModel", "KeychainEnclave", "KeychainVault", "CLinux", "CSQLite",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources/Core/KeychainStore",
            swiftSettings: strict
        ),
        .target(
            name: "KeychainEngine",
            dependencies: [
                "KeychainModel", "KeychainEnclave", "KeychainCertificates", "KeychainTrust", "KeychainPolicy",
                "KeychainVault", "KeychainStore", "KeychainBackup", "CLinux",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources/Core/KeychainEngine",
            swiftSettings: strict
        ),

        // Wire: how a process reaches a keychain.
        // How the enclave's process is spoken to: by the service, and by those who bring a passcode.
        .target(
            name: "EnclaveProtocol",
            dependencies: [
                "KeychainEnclave", "KeychainModel", "CLinux",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Sources/Wire/EnclaveProtocol",
            swiftSettings: strict
        ),
        // What the compiler of protocol buffers makes of chatelaine.proto; it marks no use of a pointer.
        .target(
            name: "KeychainMessages",
            dependencies: [.product(name: "SwiftProtobuf", package: "swift-protobuf")],
            path: "Sources/Wire/KeychainMessages",
            exclude: ["chatelaine.proto", "generated.sha256"],
            swiftSettings: settings
        ),
        .target(
            name: "KeychainProtocol",
            dependencies: [
                "KeychainMessages", "KeychainModel", "KeychainEnclave", "KeychainBackup", "KeychainCertificates",
                "CLinux",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            path: "Sources/Wire/KeychainProtocol",
            swiftSettings: strict
        ),
        .target(
            name: "KeychainServer",
            dependencies: [
                "KeychainModel", "KeychainEnclave", "KeychainBackup", "KeychainEngine", "KeychainProtocol",
                "PeerIdentity",
                "CodeSignature", "CLinux",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            path: "Sources/Wire/KeychainServer",
            swiftSettings: strict
        ),
        // The service as a process: its options, what it gives up, what it tells its supervisor.
        .target(
            name: "KeychainDaemon",
            dependencies: [
                "KeychainServer", "KeychainModel", "KeychainEnclave", "EnclaveProtocol", "KeychainProtocol",
                "PeerIdentity", "CodeSignature", "CLinux",
                "LoginSessions", "TPMEnclave", "Prompting", "FingerPrompting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Wire/KeychainDaemon",
            swiftSettings: strict
        ),
        .target(
            name: "Prompting",
            dependencies: ["KeychainModel", "KeychainEnclave", "Pinentry"],
            path: "Sources/Wire/Prompting",
            swiftSettings: strict
        ),
        .target(
            name: "FingerPrompting",
            dependencies: ["KeychainModel", "KeychainEnclave", "FingerprintReader", "CLinux"],
            path: "Sources/Wire/FingerPrompting",
            swiftSettings: strict
        ),
        .target(
            name: "KeychainClient",
            dependencies: [
                "KeychainModel", "KeychainEnclave", "KeychainBackup", "KeychainPolicy", "KeychainEngine",
                "KeychainProtocol", "EnclaveProtocol", "Prompting", "ProgramTrailer", "CLinux",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources/Wire/KeychainClient",
            swiftSettings: strict
        ),

        // Facades: what other people's programs import.
        .target(
            name: "CoreFoundationAliases",
            path: "Sources/Facades/CoreFoundationAliases",
            swiftSettings: strict + evolution
        ),
        // Beside a module named Security, X509 refers to these objects: they lie below whatever uses X509.
        .target(
            name: "SecurityObjects",
            dependencies: ["CoreFoundationAliases", "KeychainCertificates"],
            path: "Sources/Facades/SecurityObjects",
            swiftSettings: facade
        ),
        .target(
            name: "Security",
            dependencies: [
                "CoreFoundationAliases", "SecurityObjects", "KeychainCertificates", "KeychainKeys", "KeychainExchange",
                "KeychainTrust", "KeychainModel", "KeychainClient",
            ],
            path: "Sources/Facades/Security",
            swiftSettings: facade
        ),

        // What C programs link: headers and constants, and the functions.
        .target(name: "CSecurity", path: "Sources/Facades/CSecurity"),
        .target(
            name: "SecurityABI",
            dependencies: ["CSecurity", "KeychainCertificates", "Security"],
            path: "Sources/Facades/SecurityABI",
            swiftSettings: strict
        ),
        .plugin(name: "ImportSecurity", capability: .buildTool()),
        .target(
            name: "LocalAuthentication",
            dependencies: ["Security", "CoreFoundationAliases", "KeychainModel", "KeychainClient"],
            path: "Sources/Facades/LocalAuthentication",
            swiftSettings: facade
        ),
        .target(
            name: "CryptoSecureEnclave",
            dependencies: [
                "Security", "LocalAuthentication", "CoreFoundationAliases",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Sources/Facades/CryptoSecureEnclave",
            swiftSettings: strict
        ),
        .target(
            name: "CryptoKit",
            dependencies: ["CryptoSecureEnclave", .product(name: "Crypto", package: "swift-crypto")],
            path: "Sources/Facades/CryptoKit",
            swiftSettings: strict
        ),

        // Platform: the only places that know Linux and SQLite's C interface.
        .target(name: "CLinux", path: "Sources/Platform/CLinux"),
        // malloc and its relatives for processes that hold other people's secrets: freed memory holds none.
        .target(name: "CZeroingAllocator", path: "Sources/Platform/CZeroingAllocator"),
        // Who a process is, as the kernel says.
        .target(
            name: "PeerIdentity",
            dependencies: ["CLinux"],
            path: "Sources/Platform/PeerIdentity",
            swiftSettings: strict
        ),
        // Whether a program is signed: what clients have to know as well.
        .target(
            name: "ProgramTrailer",
            dependencies: ["KeychainModel"],
            path: "Sources/Platform/ProgramTrailer",
            swiftSettings: strict
        ),
        // Who has signed a program.
        .target(
            name: "CodeSignature",
            dependencies: [
                // For linking alone: see there.
                "SecurityObjects",
                "ProgramTrailer", "KeychainModel", "CLinux",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            path: "Sources/Platform/CodeSignature",
            swiftSettings: hiding
        ),
        // RC2 and 3DES, which old files need, in a library that is looked for when they do.
        .target(
            name: "CLegacyCiphers",
            path: "Sources/Platform/CLegacyCiphers",
            linkerSettings: [.linkedLibrary("dl")]
        ),
        // The device key and the passcode's second half in a TPM 2.0, which is looked for when it is needed.
        .target(name: "CTPM", path: "Sources/Platform/CTPM", linkerSettings: [.linkedLibrary("dl")]),
        .target(
            name: "TPMEnclave",
            dependencies: [
                "KeychainEnclave", "KeychainModel", "CTPM", "CLinux",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Sources/Platform/TPMEnclave",
            swiftSettings: strict
        ),
        // The desktop's sessions, as logind tells of them.
        .target(name: "CSystemBus", path: "Sources/Platform/CSystemBus", linkerSettings: [.linkedLibrary("dl")]),
        // Asking a person through a program that GnuPG brings.
        .target(
            name: "Pinentry",
            dependencies: ["KeychainModel", "CLinux"],
            path: "Sources/Platform/Pinentry",
            swiftSettings: strict
        ),
        .target(
            name: "LoginSessions",
            dependencies: [
                "KeychainModel", "CSystemBus", "CLinux",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources/Platform/LoginSessions",
            swiftSettings: strict
        ),
        // Fingers, as fprintd tells of them, and what it keeps of them.
        .target(
            name: "FingerprintReader",
            dependencies: [
                "CSystemBus",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Sources/Platform/FingerprintReader",
            swiftSettings: strict
        ),
        .target(
            name: "CSQLite",
            path: "Sources/Platform/CSQLite",
            linkerSettings: [.linkedLibrary("sqlite3")]
        ),

        // Satellites: programs around the core.
        .target(
            name: "KeychainBackup",
            dependencies: [
                "KeychainModel", "KeychainEnclave", "CLinux",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            path: "Sources/Core/KeychainBackup",
            swiftSettings: strict
        ),

        // libsecret, loaded when it is needed.
        .target(
            name: "CSecretService",
            path: "Sources/Platform/CSecretService",
            linkerSettings: [.linkedLibrary("dl")]
        ),
        // What other programs write of passwords, as items.
        .target(
            name: "PasswordImport",
            dependencies: ["KeychainModel"],
            path: "Sources/Satellites/PasswordImport",
            swiftSettings: strict
        ),

        // Executables: flags, assembly, run.
        // What commands print of other people's text.
        .target(
            name: "TerminalText",
            path: "Sources/Executables/TerminalText",
            swiftSettings: strict
        ),
        // How commands ask for secrets.
        .target(
            name: "SecretInput",
            dependencies: ["KeychainModel", "CLinux"],
            path: "Sources/Executables/SecretInput",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "SecurityTool",
            dependencies: [
                "Security", "CoreFoundationAliases", "KeychainCertificates", "KeychainClient", "KeychainEnclave",
                "KeychainExchange", "KeychainModel", "SecretInput", "TerminalText", "CLinux",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Executables/SecurityTool",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "chatelained",
            dependencies: [
                "KeychainDaemon", "KeychainServer", "CZeroingAllocator", "CLinux",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Executables/chatelained",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "chatelaine-identify",
            dependencies: ["PeerIdentity", "CZeroingAllocator", "CLinux"],
            path: "Sources/Executables/chatelaine-identify",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "chatelaine-prompt",
            dependencies: [
                "EnclaveProtocol", "FingerPrompting", "FingerprintReader", "Prompting", "KeychainEnclave",
                "KeychainModel",
                "CLinux",
            ],
            path: "Sources/Executables/chatelaine-prompt",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "chatelaine-enclave",
            dependencies: [
                "EnclaveProtocol", "KeychainEnclave", "KeychainModel", "TPMEnclave", "CZeroingAllocator", "CLinux",
            ],
            path: "Sources/Executables/chatelaine-enclave",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "ChatelaineTool",
            dependencies: [
                "CodeSignature", "ProgramTrailer", "PeerIdentity", "KeychainClient", "KeychainEnclave", "KeychainModel",
                "EnclaveProtocol", "KeychainProtocol", "KeychainBackup", "PasswordImport", "CSecretService",
                "SecretInput", "TerminalText", "TPMEnclave", "Prompting", "CLinux",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Executables/ChatelaineTool",
            swiftSettings: strict
        ),

        // Examples: written as for an Apple platform, with nothing of ours in sight.
        .executableTarget(
            name: "PasswordDemo",
            dependencies: ["Security"],
            path: "Examples/PasswordDemo",
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        .executableTarget(
            name: "GuardedNote",
            dependencies: ["Security", "LocalAuthentication"],
            path: "Examples/GuardedNote",
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        .executableTarget(
            name: "TwoAppsMail",
            dependencies: ["Security"],
            path: "Examples/TwoApps/Mail",
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        .executableTarget(
            name: "TwoAppsCalendar",
            dependencies: ["Security"],
            path: "Examples/TwoApps/Calendar",
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),

        // Clients: programs in the style of Apple's documentation, which the tests run.
        .executableTarget(
            name: "Swift5Client",
            dependencies: ["Security", "LocalAuthentication"],
            path: "Tests/Clients/Swift5Client",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .executableTarget(
            name: "Swift6Client",
            dependencies: ["Security", "LocalAuthentication"],
            path: "Tests/Clients/Swift6Client",
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        .executableTarget(
            name: "PluginClient",
            dependencies: ["Security"],
            path: "Tests/Clients/PluginClient",
            swiftSettings: [.swiftLanguageMode(.v5)],
            plugins: ["ImportSecurity"]
        ),

        // Tests. What is written as a client of Apple's API goes without the strict checks of our own code.
        .testTarget(
            name: "SecurityTests",
            dependencies: [
                "Security", "CoreFoundationAliases", "CertificateTestSupport", "KeychainTestSupport", "KeychainTrust",
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LocalAuthenticationTests",
            dependencies: [
                "LocalAuthentication", "Security", "CoreFoundationAliases", "KeychainModel", "KeychainClient",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeychainProtocolTests",
            dependencies: [
                "KeychainProtocol", "KeychainMessages", "KeychainModel", "KeychainCertificates", "KeychainTestSupport",
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "EnclaveProtocolTests",
            dependencies: [
                "EnclaveProtocol", "KeychainEnclave", "KeychainCertificates", "KeychainModel", "KeychainTestSupport",
                "PeerIdentity", "chatelaine-enclave",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PeerIdentityTests",
            dependencies: ["PeerIdentity", "KeychainTestSupport", "KeychainModel", "CLinux"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "CodeSignatureTests",
            dependencies: [
                "CodeSignature", "ProgramTrailer", "KeychainModel", "KeychainTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeychainServerTests",
            dependencies: [
                "KeychainServer", "KeychainProtocol", "KeychainClient", "KeychainEngine", "KeychainModel",
                "PeerIdentity",
                "CodeSignature", "ProgramTrailer", "KeychainTestSupport", "CLinux", "CProbe",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        // The service with checks left out, for the attacks that these checks stop. The service itself has no way to do so.
        .executableTarget(
            name: "unchecked-daemon",
            dependencies: [
                "KeychainDaemon", "KeychainServer", "KeychainProtocol", "KeychainModel", "PeerIdentity", "CLinux",
                "CZeroingAllocator",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/UncheckedDaemon",
            swiftSettings: settings
        ),
        // A program that is installed, in Swift and with nothing of ours in sight, to be attacked.
        .executableTarget(
            name: "attacked-program",
            dependencies: ["Security"],
            path: "Tests/AttackedProgram",
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        // Programs that try to get at what is not theirs, against the service's real processes.
        .testTarget(
            name: "AttackTests",
            dependencies: [
                "PeerIdentity", "CodeSignature", "KeychainModel", "KeychainProtocol", "KeychainClient",
                "KeychainTestSupport", "KeychainEnclave", "EnclaveProtocol",
                "unchecked-daemon", "chatelained", "chatelaine-identify", "chatelaine-enclave", "chatelaine-prompt",
                "ChatelaineTool", "SecurityTool", "attacked-program",
            ],
            swiftSettings: settings
        ),
        // The service and its enclave as processes, in both modes, while keys come and go.
        .testTarget(
            name: "LockedServiceTests",
            dependencies: [
                "EnclaveProtocol", "KeychainEnclave", "KeychainEngine", "KeychainClient", "KeychainProtocol",
                "KeychainModel", "KeychainTestSupport", "CLinux", "ChatelaineTool", "chatelained",
                "chatelaine-identify", "chatelaine-enclave",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        // Log-ins, screens and sleep, with PAM's and D-Bus's own programs.
        .testTarget(
            name: "LoginTests",
            dependencies: [
                "KeychainTestSupport", "EnclaveProtocol", "KeychainEnclave", "KeychainModel", "LoginSessions",
                "ChatelaineTool", "chatelained", "chatelaine-identify", "chatelaine-enclave", "chatelaine-prompt",
                "GuardedNote", "SecurityTool",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        // Fingers, with the real fprintd and with some that lie, on buses of the tests' own.
        .testTarget(
            name: "FingerprintTests",
            dependencies: ["KeychainTestSupport", "FingerprintReader"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ChatelaineToolTests",
            dependencies: [
                "ChatelaineTool", "TranscriptTesting", "KeychainTestSupport", "TwoAppsMail", "TwoAppsCalendar",
                "chatelained",
                "chatelaine-identify", "chatelaine-enclave",
            ],
            resources: [.copy("Transcripts")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeychainClientTests",
            dependencies: [
                "KeychainClient", "KeychainProtocol", "KeychainModel", "CLinux", "CProbe", "KeychainTestSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BehaviourTests",
            dependencies: [
                "Security", "CoreFoundationAliases", "LocalAuthentication", "CryptoKit", "KeychainClient",
                "KeychainEnclave",
                "KeychainEngine", "KeychainModel", "KeychainTrust", "KeychainTestSupport", "CertificateTestSupport",
                "EnclaveProtocol", "Prompting", "chatelained", "chatelaine-identify", "chatelaine-enclave",
                "chatelaine-prompt", "GuardedNote",
                "ChatelaineTool", "unchecked-daemon",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings
        ),
        // Sessions with commands, as text.
        .target(
            name: "TranscriptTesting",
            path: "Tests/TranscriptTesting",
            swiftSettings: settings
        ),
        .testTarget(
            name: "ToolTests",
            dependencies: [
                "SecurityTool", "TerminalText", "KeychainModel", "KeychainTestSupport", "TranscriptTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            resources: [.copy("Transcripts"), .copy("Keychains")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeychainCertificatesTests",
            dependencies: [
                "KeychainCertificates", "KeychainTestSupport",
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeychainTrustTests",
            dependencies: [
                "KeychainTrust", "KeychainCertificates", "CertificateTestSupport", "SecurityObjects",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings
        ),
        // Keys against what others have computed: Wycheproof, NIST, OpenSSL.
        .testTarget(
            name: "KeyTests",
            dependencies: [
                "KeychainKeys", "KeychainCertificates", "KeychainModel", "KeychainTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            exclude: ["Vectors"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ExchangeTests",
            dependencies: [
                "KeychainExchange", "KeychainCertificates", "KeychainModel", "KeychainTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            resources: [.copy("Vectors")],
            swiftSettings: settings
        ),
        // What the suites about certificates share: authorities that issue whatever a test needs.
        .target(
            name: "CertificateTestSupport",
            dependencies: [
                "SecurityObjects",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            path: "Tests/CertificateTestSupport",
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeychainEnclaveTests",
            dependencies: [
                "KeychainModel", "KeychainEnclave", "KeychainCertificates", "KeychainTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeychainVaultTests",
            dependencies: [
                "KeychainModel", "KeychainEnclave", "KeychainPolicy", "KeychainVault", "KeychainClient",
                "KeychainTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            resources: [.copy("Golden")],
            swiftSettings: settings
        ),
        // A TPM that is emulated, and everything that a person, a thief or a cable does to it.
        .testTarget(
            name: "TPMEnclaveTests",
            dependencies: [
                "TPMEnclave", "KeychainCertificates", "KeychainEnclave", "EnclaveProtocol", "KeychainModel",
                "KeychainTestSupport", "CLinux", "chatelaine-enclave",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeychainStoreTests",
            dependencies: [
                "KeychainModel", "KeychainEnclave", "KeychainPolicy", "KeychainVault", "KeychainStore",
                "KeychainEngine",
                "KeychainClient", "Security", "CoreFoundationAliases", "KeychainTestSupport", "CFaultVFS",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ProcessTests",
            dependencies: [
                "KeychainModel", "KeychainEnclave", "KeychainEngine", "KeychainClient", "KeychainTestSupport",
                "KeychainProbe", "chatelained",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        // Programs in C and C++, compiled and run against the library as users do.
        .testTarget(
            name: "CLibraryTests",
            dependencies: [
                "CSecurity", "CertificateTestSupport", "KeychainTestSupport",
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KeychainBackupTests",
            dependencies: [
                "KeychainBackup", "KeychainModel", "KeychainEnclave", "KeychainEngine", "KeychainClient",
                "KeychainTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            resources: [.copy("Golden")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BackupCommandTests",
            dependencies: [
                "ChatelaineTool", "chatelained", "chatelaine-identify", "chatelaine-enclave", "KeychainBackup",
                "KeychainClient", "KeychainEnclave", "KeychainTestSupport", "KeychainModel",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PasswordImportTests",
            dependencies: ["PasswordImport", "KeychainModel"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PinentryTests",
            dependencies: [
                "Pinentry", "Prompting", "KeychainModel", "KeychainEnclave", "KeychainTestSupport", "CLinux",
            ],
            swiftSettings: settings
        ),
        // What the storage suites share: keychains in folders of their own, and other processes that use them.
        .target(
            name: "KeychainTestSupport",
            dependencies: [
                "KeychainModel", "KeychainEnclave", "KeychainClient",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/KeychainTestSupport",
            swiftSettings: settings
        ),
        // The other process: a driver of the four calls, by its arguments.
        .executableTarget(
            name: "KeychainProbe",
            dependencies: [
                "Security", "CoreFoundationAliases", "KeychainModel", "KeychainEnclave", "KeychainStore",
                "KeychainEngine",
                "KeychainClient", "KeychainTestSupport", "CProbe",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/KeychainProbe",
            swiftSettings: settings
        ),
        // Kills writers of a keychain for as long as somebody wants.
        .executableTarget(
            name: "crash-campaign",
            dependencies: [
                "KeychainTestSupport", "KeychainProbe",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/CrashCampaign",
            swiftSettings: settings
        ),
        // Kills a keychain service under its clients for as long as somebody wants.
        .executableTarget(
            name: "service-soak",
            dependencies: [
                "KeychainTestSupport", "KeychainClient", "KeychainModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/ServiceSoak",
            swiftSettings: settings
        ),
        // Keychains of a million items, for the benchmarks.
        .executableTarget(
            name: "KeychainFiller",
            dependencies: [
                "KeychainModel", "KeychainEngine",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/KeychainFiller",
            swiftSettings: settings
        ),
        // Swift hides `fork`.
        .target(name: "CProbe", path: "Tests/CProbe"),
        // A disk that fails when it is told to.
        .target(name: "CFaultVFS", path: "Tests/CFaultVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
    ],
    swiftLanguageModes: [.v6]
)

// While somebody works on one part: CHATELAINE_TEST_TARGETS="AttackTests LoginTests" builds these suites and no others.
if let names = ProcessInfo.processInfo.environment["CHATELAINE_TEST_TARGETS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}
