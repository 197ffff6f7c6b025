// swift-tools-version: 6.2
import PackageDescription

/// Both sides of the article "Migrating from jwt-kit", compiled and run beside each other.
///
/// A package of its own, so that nobody resolves or builds its dependencies who doesn't use them.
let package = Package(
  name: "purejose-jwt-kit-migration",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "PureJOSE", path: "../.."),
    .package(url: "https://github.com/vapor/jwt-kit.git", exact: "5.7.1"),
  ],
  targets: [
    .target(name: "Before", dependencies: [.product(name: "JWTKit", package: "jwt-kit")]),
    .target(name: "After", dependencies: [.product(name: "JOSE", package: "PureJOSE")]),
    .testTarget(name: "JWTKitMigrationTests", dependencies: ["Before", "After"]),
  ],
  swiftLanguageModes: [.v6]
)
