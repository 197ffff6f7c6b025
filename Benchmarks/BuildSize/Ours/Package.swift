// swift-tools-version: 6.2
import PackageDescription

/// A program that verifies a token, for measuring what it costs to build and to ship.
let package = Package(
  name: "Verify",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "PureJOSE", path: "../../..")],
  targets: [.executableTarget(name: "verify", dependencies: [.product(name: "JOSE", package: "PureJOSE")])],
  swiftLanguageModes: [.v6]
)
