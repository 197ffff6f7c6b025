// swift-tools-version: 6.2
import PackageDescription

/// Keeps a provider's tokens and sessions in PostgreSQL, by libpq.
///
/// A package of its own, so that users of PureJOSE never link a library in C.
let package = Package(
  name: "PostgresStores",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "PostgresStores", targets: ["PostgresStores"]),
    .library(name: "PostgresTesting", targets: ["PostgresTesting"]),
  ],
  dependencies: [
    .package(name: "PureJOSE", path: "../.."),
    .package(path: "../SQLStores"),
  ],
  targets: [
    // PostgreSQL's own library for clients, which the system has.
    .systemLibrary(
      name: "PostgresStoresLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "PostgresStores",
      dependencies: [
        "PostgresStoresLibPQ", .product(name: "SQLStores", package: "SQLStores"),
        .product(name: "JOSE", package: "PureJOSE"), .product(name: "PureCrypto", package: "PureJOSE"),
      ]),
    // A server for tests: of this package, and of programs on it.
    .target(name: "PostgresTesting", dependencies: ["PostgresStores"]),
    // One of several processes that the tests have at one database.
    .executableTarget(
      name: "store-worker",
      dependencies: [
        "PostgresStores", "PostgresTesting", .product(name: "OpenIDKit", package: "PureJOSE"),
        .product(name: "JOSE", package: "PureJOSE"),
      ]),
    .testTarget(
      name: "PostgresStoresTests",
      dependencies: [
        "PostgresStores", "PostgresTesting", "store-worker", .product(name: "SQLStores", package: "SQLStores"),
        .product(name: "OpenIDKit", package: "PureJOSE"), .product(name: "IdentityTesting", package: "PureJOSE"),
        .product(name: "JOSE", package: "PureJOSE"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
