// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "TokenStore",
    products: [.library(name: "TokenStore", targets: ["TokenStore"])],
    targets: [.target(name: "TokenStore")]
)
