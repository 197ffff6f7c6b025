// swift-tools-version: 6.2
import PackageDescription

/// A client with names that a package of this kind likes to take for its own targets. Built by `Tests/Clients/names`.
let package = Package(
  name: "Names",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: Context.packageDirectory + "/../PureJOSE", from: "0.1.0")],
  targets: [
    .executableTarget(
      name: "jose",
      dependencies: [
        "Benchmarking", "VectorRunner", "HTTPValues", "FuzzTargets",
        .product(name: "StrictJSON", package: "PureJOSE"),
      ]),
    .executableTarget(name: "bench", dependencies: ["Benchmarking"]),
    .executableTarget(name: "fuzz", dependencies: ["FuzzTargets"]),
    .target(name: "Benchmarking"),
    .target(name: "VectorRunner"),
    .target(name: "HTTPValues"),
    .target(name: "FuzzTargets"),
    .target(name: "TestSupport"),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "TestSupport"]),
    .testTarget(name: "VectorTests", dependencies: ["VectorRunner", "TestSupport"]),
  ]
)
