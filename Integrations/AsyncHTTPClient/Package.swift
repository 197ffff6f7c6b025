// swift-tools-version: 6.2
import PackageDescription

/// Fetches key sets, and carries requests for tokens, with async-http-client.
///
/// A package of its own, so that nobody resolves or builds its dependencies who doesn't use them.
let package = Package(
  name: "purejose-async-http-client",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [.library(name: "JOSEAsyncHTTPClient", targets: ["JOSEAsyncHTTPClient"])],
  dependencies: [
    .package(name: "PureJOSE", path: "../.."),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
  ],
  targets: [
    .target(
      name: "JOSEAsyncHTTPClient",
      dependencies: [
        .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ]),
    .testTarget(
      name: "JOSEAsyncHTTPClientTests",
      dependencies: [
        "JOSEAsyncHTTPClient",
        .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
