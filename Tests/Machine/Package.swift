// swift-tools-version:6.2
import PackageDescription

import class Foundation.ProcessInfo

// A whole machine, in an emulator, with the package installed in it: scripts/machine-test.sh builds what it needs and
// runs this.

let warningsAreErrors = ProcessInfo.processInfo.environment["CHATELAINE_WARNINGS_AS_ERRORS"] == "1"

let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .strictMemorySafety(),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

let package = Package(
    name: "keychain-machine",
    targets: [
        // What is said between the machine and its tests.
        .target(name: "AgentProtocol", swiftSettings: settings),
        // Runs inside, as root: starts commands and says what came of them.
        .executableTarget(name: "machine-agent", dependencies: ["AgentProtocol"], swiftSettings: settings),
        // The emulator, the disk, the consoles.
        .target(name: "Machine", dependencies: ["AgentProtocol"], swiftSettings: settings),
        .testTarget(name: "MachineTests", dependencies: ["Machine"], swiftSettings: settings),
    ]
)
