// swift-tools-version: 6.2
import PackageDescription

/// Measures PureJOSE beside the libraries that Swift servers use today, in one process.
///
/// A package of its own, so that users of PureJOSE never resolve these dependencies.
let package = Package(
  name: "Peers",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "PureJOSE", path: "../.."),
    .package(url: "https://github.com/apple/swift-crypto.git", exact: "4.5.2"),
    .package(url: "https://github.com/vapor/jwt-kit.git", exact: "5.7.1"),
  ],
  targets: [
    .executableTarget(
      name: "peers",
      dependencies: [
        .product(name: "PureCrypto", package: "PureJOSE"),
        .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "StrictJSON", package: "PureJOSE"),
        .product(name: "PureJOSEBenchmarking", package: "PureJOSE"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "JWTKit", package: "jwt-kit"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
