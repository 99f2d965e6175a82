// swift-tools-version:6.2

import PackageDescription

import class Foundation.ProcessInfo

// Our warnings stop our own builds, where the scripts switch that on. Whoever depends on this package sees none: SwiftPM
// silences packages that it has fetched, and what is here those that lie in a folder.
let warningsAreErrors = ProcessInfo.processInfo.environment["CHATELAINE_WARNINGS_AS_ERRORS"] == "1"

// The fuzzers, a package of their own, need our inner modules, instrumented. Nobody else is offered them.
let isFuzzed = ProcessInfo.processInfo.environment["CHATELAINE_FUZZING"] == "1"

// `make install` puts the façades' modules and one library in place for compilers that find nothing else of ours. Such
// modules are built with library evolution, without which they would ask for our inner modules.
let isInstalled = ProcessInfo.processInfo.environment["CHATELAINE_LIBRARY"] == "1"

// Names about servers' certificates that Foundation on Linux lacks are compiled into Security where somebody asks for them:
// every program is then linked with libcurl (docs/porting.md).
let hasServerTrust = ProcessInfo.processInfo.environment["CHATELAINE_SERVER_TRUST"] == "1"

// The pages of `chatelaine access` need an HTTP server, which brings twenty packages. Only our own builds ask for them: a
// package that depends on this one fetches none.
let hasAccess = ProcessInfo.processInfo.environment["CHATELAINE_ACCESS"] == "1"

/// What every Swift target is compiled with.
///
/// Tests go without `MemberImportVisibility`: a whole module compiled at once may find a C structure such as `stat` in
/// another module than a file that is compiled alone, and then asks for an import that the file does not need.
let commonSettings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [.unsafeFlags(["-suppress-warnings"])])
    + (isFuzzed ? [.unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"])] : [])

/// What every Swift target but tests is compiled with.
let settings = commonSettings + [.enableUpcomingFeature("MemberImportVisibility")]

/// Our own code marks every use of an unsafe pointer; code written as a client of Apple's API cannot.
let strict: [SwiftSetting] = settings + [.strictMemorySafety()]

/// What the modules that other people's programs import are compiled with, besides.
let evolution: [SwiftSetting] =
    isInstalled ? [.unsafeFlags(["-enable-library-evolution", "-emit-module-interface"])] : []

/// What a module is compiled with that hides an import for good (`@_implementationOnly`). The compiler's warning that
/// this is meant for libraries with a stable ABI stays a warning.
let hiding: [SwiftSetting] =
    strict + (warningsAreErrors ? [.treatWarning("ImplementationOnlyDeprecated", as: .warning)] : [])

/// A module named Security turns on `#if canImport(Security)` in every package of a graph, also in those that do not
/// depend on it and so do not find the C modules of our inner targets. So the façade hides its imports, which the feature
/// checks. KeychainTrust does not: Swift 6.3.1 crashes on a module with conformances to a hidden module's protocols.
let hidingAll: [SwiftSetting] = hiding + evolution + [.enableExperimentalFeature("CheckImplementationOnly")]

/// Other packages: where they are, since which version, and the products that targets name as dependencies.
let packages: [(url: String, from: Version, products: [String])] =
    [
        ("https://github.com/groue/GRDB.swift", "7.10.0", ["GRDB"]),
        ("https://github.com/apple/swift-crypto", "4.5.2", ["Crypto", "CryptoExtras"]),
        ("https://github.com/apple/swift-asn1", "1.7.4", ["SwiftASN1"]),
        ("https://github.com/apple/swift-certificates", "1.21.1", ["X509"]),
        ("https://github.com/apple/swift-log", "1.16.2", ["Logging"]),
        ("https://github.com/apple/swift-protobuf", "1.39.0", ["SwiftProtobuf"]),
        ("https://github.com/swift-server/swift-service-lifecycle", "2.13.0", ["ServiceLifecycle", "UnixSignals"]),
        ("https://github.com/apple/swift-argument-parser", "1.8.2", ["ArgumentParser"]),
    ]
    + (hasAccess
        ? [
            ("https://github.com/hummingbird-project/hummingbird", "2.28.1", ["Hummingbird", "HummingbirdCore"]),
            ("https://github.com/hummingbird-project/swift-mustache", "2.1.1", ["Mustache"]),
            ("https://github.com/apple/swift-nio", "2.101.2", ["NIOCore", "NIOPosix"]),
            ("https://github.com/apple/swift-nio-extras", "1.35.2", ["NIOHTTPTypes"]),
            ("https://github.com/apple/swift-http-types", "1.8.0", ["HTTPTypes"]),
        ] : [])

/// The package of each of these products.
let owners = packages.reduce(into: [String: String]()) { owners, package in
    for product in package.products { owners[product] = package.url.split(separator: "/").last.map(String.init) }
}

/// Targets by name, each with the names of what it depends on.
typealias Targets = KeyValuePairs<String, [String]>

/// Dependencies by name: a product of another package if one is called so, or else a target of this one.
func dependencies(_ names: [String]) -> [Target.Dependency] {
    names.map { name in owners[name].map { .product(name: name, package: $0) } ?? .byName(name: name) }
}

/// Targets in folders of their names, and what all of them use.
func folder(
    _ path: String,
    _ settings: [SwiftSetting] = strict,
    using all: [String] = []
) -> (Targets) -> [Target] {
    { targets in
        targets.map {
            .target(name: $0, dependencies: dependencies($1 + all), path: "\(path)/\($0)", swiftSettings: settings)
        }
    }
}

func program(_ name: String, _ names: [String], in path: String, _ settings: [SwiftSetting]) -> Target {
    .executableTarget(name: name, dependencies: dependencies(names), path: path, swiftSettings: settings)
}

/// Programs in folders of their names.
func programs(_ path: String, _ settings: [SwiftSetting] = strict, using all: [String] = []) -> (Targets) -> [Target] {
    { targets in targets.map { program($0, $1 + all, in: "\(path)/\($0)", settings) } }
}

/// A program with nothing of ours in sight, compiled as anybody would.
func client(_ name: String, _ names: [String], in path: String, mode: SwiftLanguageMode = .v6) -> Target {
    program(name, names, in: path, [.swiftLanguageMode(mode)])
}

/// C in folders of its names, each with the library of the system's that it is linked with.
func c(_ path: String) -> (KeyValuePairs<String, String?>) -> [Target] {
    { targets in
        targets.map { name, library in
            .target(name: name, path: "\(path)/\(name)", linkerSettings: library.map { [.linkedLibrary($0)] })
        }
    }
}

/// Tests, many of them written as clients of Apple's API, go without the strict checks of our own code.
func tests(_ targets: Targets) -> [Target] {
    targets.map { .testTarget(name: $0, dependencies: dependencies($1 + usual), swiftSettings: commonSettings) }
}

/// What the tests of the service start: its programs, the command that sets them up, and an older kernel.
let service = [
    "chatelained", "chatelaine-identify", "chatelaine-enclave", "chatelaine-prompt", "kernel-filter", "ChatelaineTool",
]

/// What the service's processes use besides.
let process = ["KeychainSystem", "KeychainAccounts", "CKeychainLinux", "CZeroingAllocator", "CNoPriorities"]

/// What bridges use besides, and their processes.
let bridge = ["KeychainSystem", "KeychainModel", "CKeychainLinux"]
let bridgeProcess = bridge + ["KeychainClient", "Terminal", "CZeroingAllocator", "CNoPriorities", "ArgumentParser"]

/// What tests use besides: mostly what KeychainClient is made of, which all of them are linked with.
let usual = [
    "KeychainSystem", "KeychainModel", "EnclaveInterface", "LocalEnclave", "EnclaveDesk", "EnclaveClient",
    "KeychainEngine", "KeychainProtocol", "KeychainServiceClient", "KeychainAccounts", "KeychainBackup",
    "KeychainCertificates", "KeychainFiles", "KeychainPolicy", "KeychainVault", "KeychainTrailer", "KeychainClient",
    "KeychainTestSupport", "CKeychainLinux", "Crypto", "GRDB", "Logging",
]

/// Every target; docs/modules.md says what each of them is. A folder uses itself and those before it (scripts/layers.swift).
let targets: [[Target]] = [
    // System: what Linux has. Nothing of it opens a keychain.
    c("Sources/System")([
        "CKeychainLinux": nil,
        "CKeychainSQLite": "sqlite3",
        // malloc and its relatives for processes that hold other people's secrets: freed memory holds none.
        "CZeroingAllocator": nil,
        // A setpriority that does nothing: the units of our processes forbid the real one, which libdispatch calls.
        "CNoPriorities": nil,
        // The others look for a library of the system's when it is needed: RC2 and 3DES, which old files need; SHA-224, and
        // what RSA keys do that swift-crypto has no call for; HTTP, for questions about revocation; TPMs; message buses.
        "CKeychainLegacyCiphers": "dl",
        "CKeychainLibcrypto": "dl",
        "CKeychainLibcurl": "dl",
        "CTPM": "dl",
        "CSystemBus": "dl",
    ]),
    // The same for clipboards, with the headers of X11 and Wayland.
    hasAccess ? c("Sources/System")(["CClipboard": "dl"]) : [],
    folder("Sources/System")([
        "KeychainAccounts": [],
        // Descriptors, files and programs, with errors of their own.
        "KeychainSystem": ["CKeychainLinux"],
        "PeerIdentity": ["KeychainSystem", "CKeychainLinux"],
        // The one client of message buses.
        "MessageBus": ["KeychainSystem", "CSystemBus"],
    ]),

    // Core: each target turns one type of an item's journey into the next.
    folder("Sources/Core")([
        "KeychainCertificates": ["Crypto", "SwiftASN1"],
        "CoreFoundationAliases": [],
        // Beside a module named Security, X509 refers to these objects: they lie below whatever uses X509, which names
        // them for linking alone.
        "SecurityObjects": ["CoreFoundationAliases", "KeychainCertificates"],
        "KeychainTrust": [
            "SecurityObjects", "KeychainCertificates", "KeychainSystem", "CKeychainLibcurl", "CKeychainLinux",
            "SwiftASN1", "X509",
        ],
        "KeychainModel": ["KeychainSystem", "KeychainCertificates", "CKeychainLinux"],
    ]),
    folder("Sources/Core", using: ["KeychainModel", "KeychainSystem", "CKeychainLinux"])([
        "KeychainTrailer": [],
        "KeychainCodes": ["Crypto"],
        // What other programs export, and what they import.
        "PasswordImport": ["KeychainCodes", "Crypto"],
        // Apart, so that nothing that keeps secrets in its memory is linked with libxml2.
        "KeePassImport": ["PasswordImport", "KeychainCodes"],
        "CodeSignature": ["SecurityObjects", "KeychainTrailer", "Crypto", "SwiftASN1", "X509"],
        "KeychainKeys": ["KeychainCertificates", "CKeychainLibcrypto", "Crypto", "CryptoExtras", "SwiftASN1"],
        "KeychainExchange": ["KeychainCertificates", "CKeychainLegacyCiphers", "Crypto", "CryptoExtras", "SwiftASN1"],
        // Who holds the keys: how the rest of the core speaks to it, where its owner is asked, and its own code.
        "KeychainFiles": [],
        "EnclaveInterface": ["Crypto"],
        "EnclaveDesk": ["EnclaveInterface"],
        // What devices of one person tell each other: formats and rules alone.
        "KeychainSync": ["Crypto"],
        // How programs speak to a keychain that belongs to a circle of devices, wherever it is.
        "KeychainCircles": ["KeychainSync", "EnclaveInterface"],
        "LocalEnclave": ["EnclaveInterface", "EnclaveDesk", "KeychainFiles", "KeychainSync", "Crypto", "CryptoExtras"],
        "KeychainPolicy": ["EnclaveInterface"],
        "KeychainVault": ["EnclaveInterface", "KeychainPolicy", "Crypto"],
        "KeychainStore": ["KeychainVault", "CKeychainSQLite", "GRDB", "Logging", "EnclaveInterface"],
        "KeychainBackup": ["EnclaveInterface", "Crypto", "CryptoExtras"],
        // A device of a person who has several: its keys.
        "KeychainDeviceKeys": ["KeychainSync", "EnclaveInterface", "Crypto"],
        "KeychainEngine": [
            "KeychainCertificates", "KeychainTrust", "KeychainPolicy", "KeychainVault", "KeychainStore",
            "KeychainBackup", "Logging", "EnclaveInterface", "LocalEnclave", "KeychainFiles", "KeychainSync",
            "KeychainDeviceKeys", "KeychainCircles", "Crypto",
        ],
    ]),

    // Devices: what the machine has, and what a person is asked by.
    folder("Sources/Devices", using: ["KeychainModel", "KeychainSystem", "CKeychainLinux"])([
        "TPMEnclave": ["CTPM", "Crypto", "EnclaveInterface", "LocalEnclave", "KeychainFiles"],
        "Terminal": [],
        "KeychainPinentry": [],
        "KeychainPrompting": ["KeychainPinentry", "EnclaveInterface", "EnclaveDesk"],
        "LoginSessions": ["MessageBus", "Logging"],
        "FingerprintReader": ["MessageBus", "Crypto"],
        "FingerPrompting": ["KeychainAccounts", "FingerprintReader", "EnclaveInterface", "EnclaveDesk"],
    ]),

    // Service: the processes behind a keychain, and how they are spoken to.
    folder("Sources/Service")([
        "KeychainMessages": ["SwiftProtobuf"],
        // What carries blobs between a person's devices. It knows no key.
        "SyncTransport": ["KeychainSync", "KeychainSystem", "CKeychainLinux"],
        // Between a keychain and a transport, whoever has them open.
        "SyncCarrier": ["SyncTransport", "KeychainCircles", "KeychainSync", "KeychainModel", "KeychainSystem"],
    ]),
    folder("Sources/Service", using: ["KeychainModel", "KeychainSystem", "EnclaveInterface", "CKeychainLinux"])([
        // The enclave's process is spoken to by the service, and by those who bring a passcode.
        "EnclaveClient": ["Crypto", "EnclaveDesk"],
        "EnclaveServer": ["EnclaveDesk", "LocalEnclave"],
        "KeychainProtocol": [
            "KeychainMessages", "KeychainBackup", "KeychainCertificates", "KeychainSync", "KeychainCircles", "Crypto",
            "SwiftProtobuf",
        ],
        "KeychainServer": [
            "KeychainAccounts", "KeychainBackup", "KeychainEngine", "KeychainProtocol", "PeerIdentity", "CodeSignature",
            "Logging", "KeychainFiles", "KeychainSync", "KeychainCircles",
        ],
        "KeychainDaemon": [
            "KeychainAccounts", "KeychainServer", "EnclaveClient", "EnclaveServer", "KeychainProtocol", "PeerIdentity",
            "CodeSignature", "LoginSessions", "TPMEnclave", "KeychainPrompting", "FingerPrompting", "ArgumentParser",
            "Logging", "ServiceLifecycle", "UnixSignals", "LocalEnclave",
        ],
        // What speaks to the service, for programs that have nothing of Foundation; KeychainClient exports it.
        "KeychainServiceClient": [
            "KeychainAccounts", "KeychainBackup", "KeychainProtocol", "EnclaveClient", "KeychainTrailer", "Logging",
            "KeychainSync", "KeychainCircles",
        ],
    ]),

    // Facades: what other people's programs import, and how these reach a keychain.
    folder("Sources/Facades")([
        "KeychainClient": [
            "KeychainSystem", "KeychainAccounts", "KeychainServiceClient", "KeychainModel", "KeychainBackup",
            "KeychainEngine", "EnclaveClient", "EnclaveInterface", "LocalEnclave", "KeychainPrompting",
            "KeychainTrailer", "CKeychainLinux", "Logging", "KeychainSync", "KeychainCircles",
        ],
        "Security": [
            "CoreFoundationAliases", "SecurityObjects", "KeychainCertificates", "KeychainKeys", "KeychainExchange",
            "KeychainTrust", "KeychainModel", "KeychainClient",
        ],
        "SecurityABI": ["CSecurity", "KeychainCertificates", "Security"],
        "LocalAuthentication": ["Security", "KeychainModel", "KeychainClient"],
        "CryptoSecureEnclave": ["Security", "LocalAuthentication", "CoreFoundationAliases", "Crypto"],
        "CryptoKit": ["CryptoSecureEnclave", "Crypto"],
    ]),
    // CommonCrypto is OpenSSL's libcrypto, which is looked for when it is needed.
    c("Sources/Facades")(["CSecurity": nil, "CommonCrypto": "dl"]),
    [.plugin(name: "ImportSecurity", capability: .buildTool())],

    // Bridges: the keychain for programs that know none of ours, each as a model and a process.
    folder("Sources/Bridges/Credentials", using: bridge)([
        // What other programs' helpers for credentials say and are told.
        "CredentialHelpers": [],
        "CredentialProgram": ["CredentialHelpers", "Terminal"],
    ]),
    // With nothing of Foundation: other programs start it and wait for it.
    programs("Sources/Bridges/Credentials", using: bridge)([
        "chatelaine-credential": ["CredentialProgram", "KeychainServiceClient", "Logging"]
    ]),
    folder("Sources/Bridges/SecretService", using: bridge)([
        // How secrets are sent in a session, and all else as a state machine.
        "SecretServiceSession": ["CKeychainLibcrypto", "Crypto", "CryptoExtras"],
        "SecretServiceModel": ["MessageBus", "SecretServiceSession", "Crypto"],
    ]),
    programs("Sources/Bridges/SecretService", using: bridgeProcess)([
        "chatelaine-secrets": ["SecretServiceModel", "MessageBus", "KeychainProtocol", "EnclaveInterface", "Crypto"]
    ]),
    // An authenticator of CTAP as a state machine, and the process that is one for browsers.
    folder("Sources/Bridges/Passkeys", using: bridge)(["PasskeyProtocol": ["Crypto", "CryptoExtras"]]),
    programs("Sources/Bridges/Passkeys", using: bridgeProcess)([
        "chatelaine-passkeys": ["PasskeyProtocol", "PasswordImport", "KeychainCircles", "Crypto"]
    ]),
    folder("Sources/Bridges/SSHAgent", using: bridge)(["SSHAgentProtocol": ["Crypto", "CryptoExtras"]]),
    programs("Sources/Bridges/SSHAgent", using: bridgeProcess)([
        "chatelaine-ssh-agent": ["KeychainAccounts", "SSHAgentProtocol"]
    ]),

    // Programs: flags, assembly, run.
    programs("Sources/Programs", using: ["KeychainModel", "KeychainSystem", "EnclaveInterface", "CKeychainLinux"])([
        "SecurityTool": [
            "Security", "CoreFoundationAliases", "KeychainCertificates", "KeychainClient", "KeychainExchange",
            "Terminal", "Crypto", "Logging", "ArgumentParser",
        ],
        "ChatelaineTool": [
            "KeychainAccounts", "CodeSignature", "CredentialProgram", "KeychainClient", "KeychainProtocol",
            "KeychainBackup", "KeychainEngine", "KeychainSync", "KeychainCircles", "SyncTransport", "SyncCarrier",
            "KeychainCodes", "PasswordImport", "KeePassImport", "Terminal", "TPMEnclave",
            "KeychainPrompting", "ArgumentParser", "Logging",
        ],
    ]),
    programs("Sources/Programs", using: ["KeychainModel", "EnclaveInterface"] + process)([
        "chatelained": ["KeychainDaemon", "KeychainServer", "ArgumentParser"],
        "chatelaine-prompt": ["EnclaveClient", "FingerPrompting", "FingerprintReader", "KeychainPrompting"],
        "chatelaine-enclave": ["EnclaveServer", "TPMEnclave", "LocalEnclave", "Crypto"],
        "chatelaine-sync": ["SyncCarrier", "KeychainCircles", "KeychainServiceClient"],
    ]),
    // The keychain in the browser: pages as a model, and the server that sends them.
    hasAccess
        ? folder("Sources/Programs")([
            "AccessPages": [
                "KeychainSystem", "KeychainClient", "KeychainModel", "KeychainServiceClient", "KeychainCircles",
                "KeychainSync", "KeychainCodes", "CKeychainLinux", "CClipboard",
                "KeychainCertificates", "KeychainTrust", "EnclaveInterface", "Terminal", "Crypto", "Mustache",
            ]
        ])
            + programs("Sources/Programs", using: ["KeychainModel"] + process)([
                "chatelaine-access": [
                    "AccessPages", "KeychainClient", "KeychainServiceClient", "Terminal", "ArgumentParser", "Logging",
                    "Hummingbird", "HummingbirdCore", "HTTPTypes", "NIOCore", "NIOPosix", "NIOHTTPTypes",
                ]
            ]) : [],
    // It looks at callers, and is linked with System alone.
    programs("Sources/Programs", using: process)(["chatelaine-identify": ["PeerIdentity"]]),

    // Examples and clients in the style of Apple's documentation, with nothing of ours in sight.
    [
        client("PasswordDemo", ["Security"], in: "Examples/PasswordDemo"),
        client("GuardedNote", ["Security", "LocalAuthentication"], in: "Examples/GuardedNote"),
        client("SecretServer", ["Security", "Crypto"], in: "Examples/Server"),
        client("TwoAppsMail", ["Security"], in: "Examples/TwoApps/Mail"),
        client("TwoAppsCalendar", ["Security"], in: "Examples/TwoApps/Calendar"),
        client("Swift5Client", ["Security", "LocalAuthentication"], in: "Tests/Clients/Swift5Client", mode: .v5),
        client("Swift6Client", ["Security", "LocalAuthentication"], in: "Tests/Clients/Swift6Client"),
        client("PluginClient", ["Security"], in: "Tests/Clients/PluginClient", mode: .v5),
        // A program that is installed, in Swift and with nothing of ours in sight, to be attacked.
        client("attacked-program", ["Security"], in: "Tests/Programs/attacked-program"),
    ],

    // Tests.
    tests([
        "SecurityTests": ["Security", "CoreFoundationAliases", "CertificateTestSupport", "KeychainTrust", "X509"],
        "LocalAuthenticationTests": ["LocalAuthentication", "Security"],
        "KeychainProtocolTests": [
            "KeychainMessages", "SwiftProtobuf", "KeychainCircles", "KeychainSync", "SyncTestSupport",
        ],
        "EnclaveProtocolTests": [
            "EnclaveServer", "PeerIdentity", "KeychainSync", "KeychainDeviceKeys", "SyncTestSupport",
            "chatelaine-enclave",
            "kernel-filter",
        ],
        "KeychainSystemTests": ["CProbe"],
        "PeerIdentityTests": ["PeerIdentity"],
        "CodeSignatureTests": ["CodeSignature"],
        "KeychainServerTests": [
            "KeychainServer", "PeerIdentity", "CodeSignature", "CProbe", "KeychainCircles", "KeychainSync",
            "SyncTransport",
        ],
        "AttackTests": ["CodeSignature", "unchecked-daemon", "attacked-program", "SecurityTool"] + service,
        "LockedServiceTests": service,
        "LoginTests": ["LoginSessions", "MessageBus", "GuardedNote", "SecurityTool"] + service,
        "FingerprintTests": ["FingerprintReader"],
        "ChatelaineToolTests": ["TranscriptTesting", "TwoAppsMail", "TwoAppsCalendar"] + service,
        "KeychainClientTests": ["CProbe", "Security"],
        "BehaviourTests": [
            "Security", "LocalAuthentication", "CryptoKit", "KeychainTrust", "CertificateTestSupport",
            "KeychainPrompting", "GuardedNote", "unchecked-daemon", "SwiftASN1", "X509",
        ] + service,
        "ToolTests": ["SecurityTool", "Terminal", "TranscriptTesting", "ArgumentParser"],
        "CommonCryptoTests": ["CommonCrypto"],
        "KeychainCertificatesTests": ["SwiftASN1"],
        "KeychainTrustTests": ["KeychainTrust", "CertificateTestSupport", "SecurityObjects", "SwiftASN1", "X509"],
        "KeyTests": ["KeychainKeys", "SwiftASN1"],
        "ExchangeTests": ["KeychainExchange", "CryptoExtras"],
        "KeychainEnclaveTests": [],
        "KeychainVaultTests": ["KeychainSync", "KeychainDeviceKeys", "SyncTestSupport"],
        "TPMEnclaveTests": [
            "TPMEnclave", "KeychainSync", "KeychainDeviceKeys", "SyncTestSupport", "chatelaine-enclave",
        ],
        "KeychainStoreTests": ["KeychainStore", "Security", "CoreFoundationAliases", "CFaultVFS"],
        "ProcessTests": ["KeychainProbe", "chatelained"],
        "CLibraryTests": ["CSecurity", "CertificateTestSupport", "X509"],
        "KeychainBackupTests": [],
        "BackupCommandTests": service,
        "SyncCommandTests": ["SecurityTool", "chatelaine-sync"] + service,
        "PasswordImportTests": ["PasswordImport", "KeePassImport", "KeychainCodes"],
        "KeychainCodesTests": ["KeychainCodes"],
        "KeychainSyncTests": ["KeychainSync", "SyncSimulation"],
        "DeviceKeysTests": ["KeychainDeviceKeys", "KeychainSync", "SyncTestSupport"],
        "SyncTransportTests": ["SyncTransport", "KeychainSync"],
        "CircleTests": ["KeychainSync", "KeychainStore", "KeychainCircles", "SyncTransport", "SyncCarrier"],
        "SecretServiceTests": ["MessageBus", "SecretServiceModel", "SecretServiceSession"],
        "CredentialHelpersTests": ["CredentialHelpers"],
        "CredentialProgramTests": ["chatelaine-credential", "SecurityTool"] + service,
        "SecretServiceProcessTests": ["chatelaine-secrets", "SecurityTool"] + service,
        "PasskeyTests": ["PasskeyProtocol", "CryptoExtras"],
        "PasskeyProcessTests": ["chatelaine-passkeys", "SecurityTool"] + service,
        "SSHAgentTests": ["SSHAgentProtocol", "CryptoExtras"],
        "SSHAgentProcessTests": ["chatelaine-ssh-agent"] + service,
        "PinentryTests": ["KeychainPinentry", "KeychainPrompting"],
    ]),

    hasAccess
        ? tests([
            "AccessTests": ["AccessPages", "BrowserTesting", "chatelaine-access", "SecurityTool"] + service,
            "BrowserTestingTests": ["BrowserTesting"],
        ]) : [],

    // What tests share. CProbe has `fork`, which Swift hides, and CFaultVFS a disk that fails when it is told to.
    c("Tests")(["CProbe": nil, "CFaultVFS": "sqlite3"]),
    folder("Tests", commonSettings)([
        "TranscriptTesting": [],
        // A real browser, for tests of pages.
        "BrowserTesting": [],
        // The rules of synchronization under schedules of all that can go wrong.
        "SyncSimulation": ["KeychainSync", "KeychainModel", "Crypto"],
        // Devices with enclaves of their own, and what they write for each other.
        "SyncTestSupport": ["KeychainDeviceKeys", "KeychainSync", "KeychainModel", "EnclaveInterface", "LocalEnclave"],
        "CertificateTestSupport": ["SecurityObjects", "KeychainTestSupport", "Crypto", "SwiftASN1", "X509"],
        "KeychainTestSupport": ["KeychainModel", "KeychainClient", "Crypto", "GRDB", "Logging", "EnclaveInterface"],
    ]),

    // Programs that tests start, and some that test for as long as somebody wants.
    programs("Tests/Programs", commonSettings)([
        // The service with checks left out, for the attacks that these checks stop. The service itself has no way to do so.
        "unchecked-daemon": [
            "KeychainDaemon", "KeychainServer", "KeychainProtocol", "KeychainModel", "PeerIdentity", "ArgumentParser",
        ] + process,
        "kernel-filter": [],
        "access-pictures": ["BrowserTesting"],
        "sync-vectors": ["SyncSimulation", "KeychainSync", "KeychainModel", "Crypto"],
        "sync-simulation": ["SyncSimulation", "KeychainSync", "ArgumentParser"],
        "KeychainFiller": ["KeychainModel", "KeychainEngine", "Logging"],
        "circle-speed": [
            "KeychainModel", "KeychainEngine", "KeychainSync", "KeychainCircles", "SyncTransport", "EnclaveInterface",
            "LocalEnclave", "Logging", "KeychainServiceClient",
        ],
    ]),
    programs("Tests/Programs", commonSettings, using: usual)([
        "KeychainProbe": ["Security", "LocalAuthentication", "KeychainStore", "CProbe"],
        "crash-campaign": ["KeychainProbe", "ArgumentParser"],
        // Run by what counts instructions (scripts/instructions.sh).
        "call-count": ["Security", "KeychainServer", "PeerIdentity", "CodeSignature"],
        "service-soak": ["ArgumentParser"],
    ]),
]

/// What the fuzzers, a package of their own, import.
let internals =
    targets.flatMap(\.self).filter { $0.path?.hasPrefix("Sources/Core/") == true }.map(\.name) + [
        "EnclaveServer", "TPMEnclave", "CredentialHelpers", "SSHAgentProtocol", "PasskeyProtocol",
        "Security",
        "KeychainServiceClient", "KeychainProtocol", "KeychainClient", "KeychainServer",
    ]

/// The name that a program is installed under: that of its target, in small letters with hyphens.
func productName(_ target: String) -> String {
    if target.hasSuffix("Tool") { return target == "SecurityTool" ? "security" : "chatelaine" }
    return target.reduce(into: "") { $0 += ($1.isUppercase && !$0.isEmpty ? "-" : "") + $1.lowercased() }
}

/// The programs that are installed, the examples', and two for the benchmarks, a package of their own.
let executables = targets.flatMap(\.self).filter {
    $0.type == .executable
        && ($0.path?.hasPrefix("Tests/") != true || ["KeychainFiller", "call-count"].contains($0.name))
}

let package = Package(
    name: "chatelaine",
    // CommonCrypto is offered alone: such a module turns on `#if canImport(CommonCrypto)` in a whole graph.
    products: ["Security", "LocalAuthentication", "CryptoSecureEnclave", "CryptoKit", "CommonCrypto"].map {
        .library(name: $0, targets: [$0])
    }
        // The C library, which scripts/library.sh builds in its own way.
        + [.library(name: "SecurityABI", type: .dynamic, targets: ["SecurityABI"])]
        // Imports Security into targets whose files say `import Foundation` and no more.
        + [.plugin(name: "ImportSecurity", targets: ["ImportSecurity"])]
        + executables.map { .executable(name: productName($0.name), targets: [$0.name]) }
        + (isInstalled
            ? [.library(name: "Chatelaine", type: .dynamic, targets: ["Security", "LocalAuthentication"])] : [])
        + (isFuzzed ? [.library(name: "KeychainInternals", targets: internals)] : []),
    dependencies: packages.map { .package(url: $0.url, from: $0.from) },
    targets: targets.flatMap(\.self),
    swiftLanguageModes: [.v6]
)

// What is compiled otherwise than its floor, and what has more in its folder than code.
for target in package.targets {
    switch target.name {
    case "KeychainTrust", "CodeSignature": target.swiftSettings = hiding
    case "SecurityObjects", "LocalAuthentication": target.swiftSettings = hidingAll
    case "Security": target.swiftSettings = hidingAll + (hasServerTrust ? [.define("CHATELAINE_SERVER_TRUST")] : [])
    case "CoreFoundationAliases": target.swiftSettings = strict + evolution
    case "KeychainMessages":
        // What the compiler of protocol buffers makes marks no use of a pointer.
        target.swiftSettings = settings
        target.exclude = ["chatelaine.proto", "generated.sha256"]
    case "KeychainSync", "SyncSimulation":
        // Tests run thousands of schedules, at less than half of the speed where the compiler optimises nothing.
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-O"], .when(configuration: .debug))]
    case "AccessPages": target.resources = [.embedInCode("Resources")]
    case "PluginClient": target.plugins = ["ImportSecurity"]
    case "KeyTests", "KeychainCertificatesTests", "KeychainTrustTests", "KeychainEnclaveTests":
        target.exclude = ["Vectors"]
    case "SecretServiceProcessTests": target.exclude = ["GoClient"]
    case "PasskeyProcessTests": target.exclude = ["Client"]
    case "CommonCryptoTests": target.exclude = ["without-libcrypto.c"]
    case "ExchangeTests": target.resources = [.copy("Vectors")]
    case "ChatelaineToolTests": target.resources = [.copy("Transcripts")]
    case "ToolTests": target.resources = [.copy("Transcripts"), .copy("Keychains")]
    case "KeychainVaultTests", "KeychainBackupTests", "KeychainSyncTests": target.resources = [.copy("Golden")]
    default: break
    }
}

// One build makes everything in this manifest for an installation, so tests and what only they use are left out.
if isInstalled {
    package.targets.removeAll { $0.type == .test || $0.path?.hasPrefix("Tests/") == true }
    package.products.removeAll { $0.name == "keychain-filler" }
}

// While somebody works on one part: CHATELAINE_TEST_TARGETS="AttackTests LoginTests" builds these suites and no others.
if let names = ProcessInfo.processInfo.environment["CHATELAINE_TEST_TARGETS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}
