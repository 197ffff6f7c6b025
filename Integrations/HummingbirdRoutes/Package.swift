// swift-tools-version: 6.2
import PackageDescription

/// Routes of Hummingbird for a provider of tokens, and for a website's Sign in with Apple.
///
/// A package of its own, so that nobody resolves or builds its dependencies who doesn't use them.
let package = Package(
  name: "purejose-hummingbird-routes",
  platforms: [.macOS(.v15)],
  products: [.library(name: "JOSEHummingbird", targets: ["JOSEHummingbird"])],
  dependencies: [
    .package(name: "PureJOSE", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
  ],
  targets: [
    .target(
      name: "JOSEHummingbird",
      dependencies: [
        .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "JOSEFoundation", package: "PureJOSE"),
        .product(name: "AppleSignInKit", package: "PureJOSE"),
        .product(name: "OpenIDKit", package: "PureJOSE"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ]),
    // A whole provider, as the article "A whole provider" tells.
    .target(
      name: "ExampleProvider",
      dependencies: [
        "JOSEHummingbird",
        .product(name: "NativeSSOKit", package: "PureJOSE"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ]),
    .testTarget(
      name: "JOSEHummingbirdTests",
      dependencies: [
        "JOSEHummingbird", "ExampleProvider",
        .product(name: "OpenIDKit", package: "PureJOSE"),
        .product(name: "NativeSSOKit", package: "PureJOSE"),
        .product(name: "IdentityTesting", package: "PureJOSE"),
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
