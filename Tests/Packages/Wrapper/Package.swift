// swift-tools-version:5.9

import PackageDescription

// A wrapper as there are many: written for Apple's platforms, with nothing of ours in sight, neither here nor in its
// sources, some of which rely on Foundation to bring Security along. `swift test --toolset chatelaine.json` runs it.
let package = Package(
    name: "Wrapper",
    products: [.library(name: "Wrapper", targets: ["Wrapper"])],
    targets: [
        .target(name: "Wrapper"),
        .executableTarget(name: "wrapper-demo", dependencies: ["Wrapper"]),
        .testTarget(name: "WrapperTests", dependencies: ["Wrapper"]),
    ]
)
