// swift-tools-version: 6.2
import PackageDescription

/// What apps call their own modules, and libraries of this kind like to.
let features = [
  "AppleSignIn", "Authentication", "Authorization", "Crypto", "HTTP", "JSON", "Keychain", "Login", "NativeSSO",
  "Networking",
  "OAuth", "OpenID", "OpenIDConnect", "PlatformSSO", "Records", "Session", "SignInWithApple", "StoreConformance",
  "TokenRefresh", "Tokens",
]

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
        .product(name: "StrictJSON", package: "PureJOSE"), .product(name: "PureCrypto", package: "PureJOSE"),
      ]),
    .executableTarget(name: "bench", dependencies: ["Benchmarking"] + features.map { .target(name: $0) }),
    .executableTarget(name: "fuzz", dependencies: ["FuzzTargets"]),
    .target(name: "Benchmarking"),
    .target(name: "VectorRunner"),
    .target(name: "HTTPValues"),
    .target(name: "FuzzTargets"),
    .target(name: "TestSupport"),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "TestSupport"]),
    .testTarget(name: "VectorTests", dependencies: ["VectorRunner", "TestSupport"]),
  ] + features.map { .target(name: $0, path: "Sources/Features/\($0)") }
)
