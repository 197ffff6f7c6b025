// swift-tools-version: 6.2
import PackageDescription

/// The same program on jwt-kit.
let package = Package(
  name: "Verify",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: "https://github.com/vapor/jwt-kit.git", exact: "5.7.1")],
  targets: [.executableTarget(name: "verify", dependencies: [.product(name: "JWTKit", package: "jwt-kit")])],
  swiftLanguageModes: [.v6]
)
