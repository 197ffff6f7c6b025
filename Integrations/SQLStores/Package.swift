// swift-tools-version: 6.2
import PackageDescription

/// A provider's stores in SQL, over whatever driver of a database: GRDBStores and PostgresStores have one each.
let package = Package(
  name: "SQLStores",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [.library(name: "SQLStores", targets: ["SQLStores"])],
  dependencies: [.package(name: "PureJOSE", path: "../..")],
  targets: [
    .target(
      name: "SQLStores",
      dependencies: [
        .product(name: "OpenIDKit", package: "PureJOSE"), .product(name: "AppleSignInKit", package: "PureJOSE"),
        .product(name: "JOSE", package: "PureJOSE"), .product(name: "PureCrypto", package: "PureJOSE"),
      ]),
    .testTarget(name: "SQLStoresTests", dependencies: ["SQLStores", .product(name: "JOSE", package: "PureJOSE")]),
  ],
  swiftLanguageModes: [.v6]
)
