// swift-tools-version:5.7
import PackageDescription

// The module has another name than the package.
let package = Package(
    name: "StateKit",
    products: [.library(name: "AppState", targets: ["AppState"])],
    targets: [.target(name: "AppState")]
)
