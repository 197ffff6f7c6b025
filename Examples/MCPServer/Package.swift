// swift-tools-version: 6.2
import PackageDescription

/// A server of the Model Context Protocol whose tools need a login, as the article "Protect an MCP server" tells, and a
/// program that uses such servers.
let package = Package(
  name: "mcp-server",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "PureJOSE", path: "../.."),
    .package(path: "../../Integrations/AsyncHTTPClient"),
    .package(path: "../../Integrations/HummingbirdRoutes"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
  ],
  targets: [
    .executableTarget(
      name: "MCPServer",
      dependencies: [
        .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "OpenIDKit", package: "PureJOSE"),
        .product(name: "JOSEAsyncHTTPClient", package: "AsyncHTTPClient"),
        .product(name: "JOSEHummingbird", package: "HummingbirdRoutes"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ]),
    .executableTarget(
      name: "NotesAgent",
      dependencies: [
        .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "JOSEFoundation", package: "PureJOSE"),
        .product(name: "OpenIDKit", package: "PureJOSE"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
