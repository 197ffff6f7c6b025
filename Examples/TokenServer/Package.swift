// swift-tools-version: 6.2
import PackageDescription

/// An authorization server and a resource server, as the article "A whole server" tells.
let package = Package(
  name: "token-server",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "PureJOSE", path: "../.."),
    .package(path: "../../Integrations/AsyncHTTPClient"),
    .package(path: "../../Integrations/HummingbirdRoutes"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
  ],
  targets: [
    .executableTarget(
      name: "TokenServer",
      dependencies: [
        .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "OpenIDKit", package: "PureJOSE"),
        .product(name: "JOSEHummingbird", package: "HummingbirdRoutes"),
        .product(name: "JOSEAsyncHTTPClient", package: "AsyncHTTPClient"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
