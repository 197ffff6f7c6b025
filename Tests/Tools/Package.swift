// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// Programs that examine the package and that none of its users needs: probes of timing, a driver for comparisons with
/// other libraries, fuzzing. Built on the libraries in the root's own build folder by `build` and `test` beside this.
let root = URL(fileURLWithPath: Context.packageDirectory).deletingLastPathComponent().deletingLastPathComponent()

/// They call `package` declarations of the libraries. SwiftPM names a package by its folder, as an identifier of C.
let packageName = String(
  root.lastPathComponent.lowercased().enumerated().map { index, character in
    character.isLetter || (index > 0 && character.isNumber) ? character : "_"
  })
let insidePackage: [SwiftSetting] = [.unsafeFlags(["-package-name", packageName])]
let hardwareKernels: [SwiftSetting] = [.define("HARDWARE_KERNELS", .when(platforms: [.linux]))]

func library(_ name: String) -> Target.Dependency { .product(name: name, package: root.lastPathComponent) }

let package = Package(
  name: "PureJOSETools",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  dependencies: [.package(path: "../..")],
  targets: [
    .executableTarget(
      name: "PureJOSEConstantTimeProbe",
      dependencies: ["PureCrypto", "JOSE", "PlatformSSOKit", "NativeSSOKit", "OpenIDKit"].map(library),
      packageAccess: false, swiftSettings: insidePackage),
    .executableTarget(
      name: "PureJOSEKernelProbe", dependencies: ["PureCrypto", "PureCryptoKernels"].map(library),
      packageAccess: false, swiftSettings: insidePackage + hardwareKernels),
    .executableTarget(
      name: "PureJOSETimings", dependencies: [library("PureCrypto")],
      packageAccess: false, swiftSettings: insidePackage + [.enableExperimentalFeature("BuiltinModule")]),
    .executableTarget(
      name: "PureJOSEDifferential", dependencies: [library("PureCrypto")],
      packageAccess: false, swiftSettings: insidePackage),
    .target(
      name: "PureJOSEFuzzTargets",
      dependencies: [
        "PureCrypto", "StrictJSON", "JOSE", "PlatformSSOKit", "NativeSSOKit", "PureJOSENativeSSOAdministration",
        "AppleSignInKit", "IdentityTesting", "OpenIDKit", "PureJOSEVectors",
      ].map(library),
      packageAccess: false, swiftSettings: insidePackage + hardwareKernels),
    .executableTarget(
      name: "PureJOSEFuzz", dependencies: ["PureJOSEFuzzTargets"], packageAccess: false, swiftSettings: insidePackage),
    .testTarget(
      name: "PureJOSEFuzzTests", dependencies: ["PureJOSEFuzzTargets"],
      packageAccess: false, swiftSettings: insidePackage),
  ],
  swiftLanguageModes: [.v6]
)
