// swift-tools-version: 6.2
import PackageDescription

/// An OpenID provider for a small company: users, apps, Macs, pages and a database.
///
/// A package of its own, so that users of PureJOSE never resolve an HTTP server or a database.
let package = Package(
  name: "IdentityProvider",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "idp", targets: ["idp"])],
  traits: [
    .trait(name: "PostgreSQL", description: "Keeps everything in PostgreSQL where asked to; needs libpq of the system.")
  ],
  dependencies: [
    .package(name: "PureJOSE", path: "../.."),
    .package(path: "../../Integrations/HummingbirdRoutes"),
    .package(path: "../../Integrations/SQLStores"),
    .package(path: "../../Integrations/GRDBStores"),
    .package(path: "../../Integrations/PostgresStores"),
    .package(path: "../../Integrations/AsyncHTTPClient"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/groue/GRDB.swift.git", exact: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.9.0"),
    .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.2"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.30.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.0.0"),
  ],
  targets: [
    // Everything but the command line: OpenID, accounts, keys, pages.
    .target(
      name: "IdentityProvider",
      dependencies: [
        .product(name: "PureCrypto", package: "PureJOSE"), .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "OpenIDKit", package: "PureJOSE"),
        .product(name: "NativeSSOKit", package: "PureJOSE"),
        .product(name: "JOSEHummingbird", package: "HummingbirdRoutes"),
        .product(name: "SQLStores", package: "SQLStores"),
        .product(name: "GRDBStores", package: "GRDBStores"), .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "PostgresStores", package: "PostgresStores", condition: .when(traits: ["PostgreSQL"])),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"), .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "JOSEAsyncHTTPClient", package: "AsyncHTTPClient"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [
        .embedInCode("Pages/provider.css"), .embedInCode("Pages/passkey.js"), .embedInCode("Pages/codes.js"),
      ]),
    // HTTP for administrators of Native SSO: settings and device secrets. PureJOSE tests and fuzzes it.
    .target(
      name: "NativeSSOAdministration",
      dependencies: [
        .product(name: "JOSE", package: "PureJOSE"), .product(name: "NativeSSOKit", package: "PureJOSE"),
        .product(name: "OpenIDKit", package: "PureJOSE"), .product(name: "StrictJSON", package: "PureJOSE"),
      ]),
    // Macs by Platform SSO, apps by Native SSO, and Sign in with Apple above the login page.
    .target(
      name: "DeviceLogins",
      dependencies: [
        "IdentityProvider", "NativeSSOAdministration",
        .product(name: "PureCrypto", package: "PureJOSE"), .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "OpenIDKit", package: "PureJOSE"),
        .product(name: "NativeSSOKit", package: "PureJOSE"), .product(name: "PlatformSSOKit", package: "PureJOSE"),
        .product(name: "AppleSignInKit", package: "PureJOSE"),
        .product(name: "JOSEHummingbird", package: "HummingbirdRoutes"),
        .product(name: "SQLStores", package: "SQLStores"),
        .product(name: "Hummingbird", package: "hummingbird"), .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"),
      ]),
    // The command line.
    .executableTarget(
      name: "idp",
      dependencies: [
        "IdentityProvider", "DeviceLogins",
        .product(name: "JOSE", package: "PureJOSE"), .product(name: "JOSEFoundation", package: "PureJOSE"),
        .product(name: "PlatformSSOKit", package: "PureJOSE"), .product(name: "AppleSignInKit", package: "PureJOSE"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ]),
    // Simulated Macs for Tests/Load.
    .executableTarget(
      name: "mac-load",
      dependencies: [
        .product(name: "JOSE", package: "PureJOSE"), .product(name: "PlatformSSOKit", package: "PureJOSE"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      path: "Tests/Load/MacLoad"),
    .testTarget(
      name: "IdentityProviderTests",
      dependencies: [
        "IdentityProvider", "DeviceLogins",
        .product(name: "JOSE", package: "PureJOSE"), .product(name: "NativeSSOKit", package: "PureJOSE"),
        .product(name: "OpenIDKit", package: "PureJOSE"), .product(name: "SQLStores", package: "SQLStores"),
        .product(name: "PostgresTesting", package: "PostgresStores", condition: .when(traits: ["PostgreSQL"])),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "Logging", package: "swift-log"), .product(name: "InMemoryLogging", package: "swift-log"),
      ]),
    .testTarget(
      name: "DeviceLoginsTests",
      dependencies: [
        "IdentityProvider", "DeviceLogins",
        .product(name: "PureCrypto", package: "PureJOSE"), .product(name: "JOSE", package: "PureJOSE"),
        .product(name: "NativeSSOKit", package: "PureJOSE"),
        .product(name: "PlatformSSOKit", package: "PureJOSE"), .product(name: "AppleSignInKit", package: "PureJOSE"),
        .product(name: "IdentityTesting", package: "PureJOSE"),
        .product(name: "SQLStores", package: "SQLStores"), .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdTesting", package: "hummingbird"), .product(name: "Logging", package: "swift-log"),
        .product(name: "HTTPTypes", package: "swift-http-types"), .product(name: "NIOCore", package: "swift-nio"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
