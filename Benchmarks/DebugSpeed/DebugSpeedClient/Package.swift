// swift-tools-version: 6.2
import PackageDescription

/// What a user has: a program that pins the package by version. It signs and checks everything once, or measures it.
let package = Package(
  name: "DebugSpeedClient",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: Context.packageDirectory + "/../PureJOSE", from: "0.1.0")],
  targets: [
    .executableTarget(
      name: "speed",
      dependencies: ["PureCrypto", "StrictJSON", "JOSE", "PlatformSSOKit"].map {
        .product(name: $0, package: "PureJOSE")
      })
  ],
  swiftLanguageModes: [.v6]
)
