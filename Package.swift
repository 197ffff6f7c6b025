// swift-tools-version: 6.2
import PackageDescription

/// Pure-Swift cryptography is 10 to 1000 times slower without the optimiser. These targets are therefore
/// optimised in debug builds as well, so that tests and a user's own debug build run at full speed.
let optimizedInDebug: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// The standard library's `&`, `^` and shifts on SIMD types are loops over lanes, which the optimiser turns back into vector
/// instructions in short functions only. A file of one-line wrappers asks for the instructions themselves.
let vectorInstructions: [SwiftSetting] = [.enableExperimentalFeature("BuiltinModule")]

let package = Package(
  name: "PureJOSE",
  // UInt128 sets the floor on Apple platforms. Elsewhere there is none.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "PureCrypto", targets: ["PureCrypto"]),
    .library(name: "StrictJSON", targets: ["StrictJSON"]),
    .library(name: "JOSE", targets: ["JOSE"]),
    .library(name: "JOSEFoundation", targets: ["JOSEFoundation"]),
    .library(name: "PlatformSSO", targets: ["PlatformSSO"]),
    .library(name: "NativeSSO", targets: ["NativeSSO"]),
    .library(name: "NativeSSOFoundation", targets: ["NativeSSOFoundation"]),
    .executable(name: "jose", targets: ["JOSECommand"]),
    .executable(name: "bench", targets: ["bench"]),
  ],
  dependencies: [],
  targets: [
    .target(name: "PureCrypto", swiftSettings: optimizedInDebug + vectorInstructions),
    .target(name: "StrictJSON", swiftSettings: optimizedInDebug),
    .target(name: "HTTPValues"),
    .target(name: "JOSE", dependencies: ["PureCrypto", "StrictJSON"]),
    .target(name: "JOSEFoundation", dependencies: ["JOSE", "HTTPValues"]),
    .target(name: "PlatformSSO", dependencies: ["JOSE", "HTTPValues", "StrictJSON"]),
    .target(name: "NativeSSO", dependencies: ["JOSE", "HTTPValues", "PureCrypto", "StrictJSON"]),
    .target(name: "NativeSSOFoundation", dependencies: ["NativeSSO"]),
    .target(name: "VectorRunner", dependencies: ["JOSE", "PureCrypto", "StrictJSON"]),
    .executableTarget(
      name: "JOSECommand",
      dependencies: ["JOSE", "PlatformSSO", "NativeSSO", "HTTPValues", "StrictJSON", "VectorRunner"]),
    .target(name: "Benchmarking", path: "Benchmarks/Benchmarking"),
    .executableTarget(
      name: "bench", dependencies: ["Benchmarking", "PureCrypto", "StrictJSON", "JOSE"], path: "Benchmarks/bench"),

    .target(name: "TestSupport", dependencies: ["PureCrypto"], path: "Tests/TestSupport"),
    .testTarget(name: "PureCryptoTests", dependencies: ["PureCrypto", "TestSupport"]),
    .testTarget(name: "StrictJSONTests", dependencies: ["StrictJSON", "TestSupport"]),
    .testTarget(name: "HTTPValuesTests", dependencies: ["HTTPValues"]),
    .testTarget(name: "JOSETests", dependencies: ["JOSE", "PureCrypto", "StrictJSON", "TestSupport"]),
    .testTarget(name: "JOSEFoundationTests", dependencies: ["JOSEFoundation", "JOSE"]),
    .testTarget(name: "PlatformSSOTests", dependencies: ["PlatformSSO", "JOSE", "PureCrypto", "TestSupport"]),
    .testTarget(
      name: "NativeSSOTests",
      dependencies: ["NativeSSO", "NativeSSOFoundation", "HTTPValues", "JOSE", "PureCrypto", "TestSupport"]),
    .testTarget(name: "VectorTests", dependencies: ["VectorRunner", "TestSupport"]),
    .testTarget(name: "ReadmeTests", dependencies: ["JOSE"]),
    .testTarget(name: "JOSECommandTests", dependencies: ["JOSECommand", "TestSupport"]),
    .testTarget(name: "BenchmarkingTests", dependencies: ["Benchmarking"]),
  ],
  swiftLanguageModes: [.v6]
)
