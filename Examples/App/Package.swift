// swift-tools-version: 6.2
import PackageDescription

/// A website whose users log in at a provider, and two apps that share a login.
let package = Package(
  name: "app",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "PureJOSE", path: "../.."),
    .package(path: "../../Integrations/AsyncHTTPClient"),
    .package(path: "../../Integrations/HummingbirdRoutes"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .executableTarget(
      name: "app",
      dependencies: [
        .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "NativeSSOKit", package: "PureJOSE"),
        .product(name: "OpenIDKit", package: "PureJOSE"),
        .product(name: "OpenIDKitFoundation", package: "PureJOSE"),
        .product(name: "JOSEAsyncHTTPClient", package: "AsyncHTTPClient"),
        .product(name: "JOSEHummingbird", package: "HummingbirdRoutes"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
