// swift-tools-version: 6.2
import PackageDescription

/// A provider of Platform SSO on a loopback port.
///
/// A package of its own, so that users of PureJOSE never resolve an HTTP server.
let package = Package(
  name: "PlatformSSOServer",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "PureJOSE", path: "../.."),
    .package(path: "../../Integrations/GRDBStores"),
    .package(path: "../../Integrations/HummingbirdRoutes"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
  ],
  targets: [
    .executableTarget(
      name: "psso-serve",
      dependencies: [
        .product(name: "PureCrypto", package: "PureJOSE"),
        .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "OpenIDKitFoundation", package: "PureJOSE"),
        .product(name: "PlatformSSOKit", package: "PureJOSE"),
        .product(name: "GRDBStores", package: "GRDBStores"),
        .product(name: "JOSEHummingbird", package: "HummingbirdRoutes"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
