// swift-tools-version: 6.2
import PackageDescription

/// Keeps a provider's tokens, sessions and notifications in SQLite, by GRDB.
///
/// A package of its own, so that users of PureJOSE never resolve GRDB.
let package = Package(
  name: "GRDBStores",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [.library(name: "GRDBStores", targets: ["GRDBStores"])],
  dependencies: [
    .package(name: "PureJOSE", path: "../.."),
    .package(path: "../SQLStores"),
    .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
  ],
  targets: [
    .target(
      name: "GRDBStores",
      dependencies: [
        .product(name: "PlatformSSOKit", package: "PureJOSE"), .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "SQLStores", package: "SQLStores"), .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    // Is killed at any moment by `crash-rounds`, and looks at what was left.
    .executableTarget(
      name: "crash-worker",
      dependencies: [
        "GRDBStores", .product(name: "OpenIDKit", package: "PureJOSE"),
        .product(name: "NativeSSOKit", package: "PureJOSE"), .product(name: "AppleSignInKit", package: "PureJOSE"),
        .product(name: "IdentityTesting", package: "PureJOSE"), .product(name: "JOSE", package: "PureJOSE"),
      ]),
    // Only beside the package's own sources.
    // Measures how many tokens are redeemed in a second, with the harness of `bench`.
    .executableTarget(
      name: "refresh-rate",
      dependencies: [
        "GRDBStores", .product(name: "OpenIDKit", package: "PureJOSE"),
        .product(name: "IdentityTesting", package: "PureJOSE"),
        .product(name: "PureJOSEBenchmarking", package: "PureJOSE"),
      ]),
    // For clients too.
    .testTarget(
      name: "GRDBStoresTests",
      dependencies: ["GRDBStores", .product(name: "IdentityTesting", package: "PureJOSE")]),
  ],
  swiftLanguageModes: [.v6]
)
