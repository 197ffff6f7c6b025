// swift-tools-version: 6.2
import PackageDescription

/// A provider of Platform SSO on a loopback port, and a simulated Mac that uses it.
///
/// A package of its own, so that users of PureJOSE never resolve an HTTP server.
let package = Package(
  name: "PlatformSSOServer",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "PureJOSE", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
  ],
  targets: [
    .executableTarget(
      name: "psso-serve",
      dependencies: [
        .product(name: "PureCrypto", package: "PureJOSE"),
        .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "PlatformSSOKit", package: "PureJOSE"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"),
      ]),
    .executableTarget(
      name: "psso-mac",
      dependencies: [
        .product(name: "PureCrypto", package: "PureJOSE"),
        .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "PlatformSSOKit", package: "PureJOSE"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
