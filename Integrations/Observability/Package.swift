// swift-tools-version: 6.2
import PackageDescription

/// Writes the events of the package to swift-log, and counts them with swift-metrics.
///
/// A package of its own, so that nobody resolves or builds its dependencies who doesn't use them.
let package = Package(
  name: "purejose-observability",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "JOSELogging", targets: ["JOSELogging"]),
    .library(name: "JOSEMetrics", targets: ["JOSEMetrics"]),
  ],
  dependencies: [
    .package(name: "PureJOSE", path: "../.."),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
  ],
  targets: [
    .target(
      name: "JOSELogging",
      dependencies: [
        .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "OpenIDKit", package: "PureJOSE"),
        .product(name: "NativeSSOKit", package: "PureJOSE"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .target(
      name: "JOSEMetrics",
      dependencies: [
        .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "OpenIDKit", package: "PureJOSE"),
        .product(name: "NativeSSOKit", package: "PureJOSE"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ]),
    .testTarget(
      name: "JOSEObservabilityTests",
      dependencies: [
        "JOSELogging", "JOSEMetrics",
        .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "OpenIDKit", package: "PureJOSE"),
        .product(name: "NativeSSOKit", package: "PureJOSE"),
        .product(name: "IdentityTesting", package: "PureJOSE"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
