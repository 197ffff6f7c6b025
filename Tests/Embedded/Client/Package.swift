// swift-tools-version: 6.2
import PackageDescription

/// A client for the Swift SDKs that have only Embedded Swift: of the package, PureCrypto alone is written for it.
let package = Package(
  name: "EmbeddedClient",
  platforms: [.macOS(.v15)],
  products: [.library(name: "EmbeddedClient", targets: ["EmbeddedClient"])],
  dependencies: [.package(name: "PureJOSE", path: "../../..")],
  targets: [.target(name: "EmbeddedClient", dependencies: [.product(name: "PureCrypto", package: "PureJOSE")])],
  swiftLanguageModes: [.v6]
)
