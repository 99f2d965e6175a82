// swift-tools-version:6.2

import PackageDescription

// Tests that do what none should do, for scripts/harness-test.sh. Nobody else builds them.
let package = Package(name: "Harness", targets: [.testTarget(name: "HarnessTests")])
