// swift-tools-version: 6.2
import PackageDescription

// A program that verifies tokens and wants nothing else.
let package = Package(
  name: "Diet",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: Context.packageDirectory + "/../PureJOSE", exact: "0.1.0")],
  targets: [
    .executableTarget(name: "Verify", dependencies: [.product(name: "JOSE", package: "PureJOSE")])
  ])
