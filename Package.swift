// swift-tools-version: 6.2
import PackageDescription

/// Pure-Swift cryptography is 10 to 1000 times slower without the optimiser. These targets are therefore
/// optimised in debug builds as well, so that tests and a user's own debug build run at full speed. As a whole module each, for the
/// optimiser sees no further than a file otherwise, and P-256 would be ten times slower.
let optimizedInDebug: [SwiftSetting] = [
  .unsafeFlags(
    ["-O", "-disable-batch-mode", "-whole-module-optimization", "-num-threads", "2"], .when(configuration: .debug))
]

/// Release builds keep line tables, which is what backtraces need. Descriptions of variables, most of them optimised away, would take a
/// fifth of the build's time and half of its room.
let lineTablesInRelease: [SwiftSetting] = [
  .unsafeFlags(["-Xfrontend", "-gline-tables-only"], .when(configuration: .release))
]

/// The standard library's `&`, `^` and shifts on SIMD types are loops over lanes, which the optimiser turns back into vector
/// instructions in short functions only. A file of one-line wrappers asks for the instructions themselves.
let vectorInstructions: [SwiftSetting] = [.enableExperimentalFeature("BuiltinModule")]

/// The instructions of the kernel targets exist on x86-64 only, and only the optimiser's own judgement on Linux was checked.
/// `-Xarch_x86_64` drops a flag wherever the target is another architecture, so that a cross build from an x86-64 host is
/// not disturbed; on other hosts, and without the trait, nothing of this is there at all.
#if arch(x86_64) && os(Linux)
  let kernelCondition = BuildSettingCondition.when(platforms: [.linux], traits: ["HardwareKernels"])
  let hardwareKernels: [SwiftSetting] = [.define("HARDWARE_KERNELS", kernelCondition)]
  func instructionSet(_ names: String...) -> [SwiftSetting] {
    let flags = names.flatMap { ["-Xcc", "-Xarch_x86_64", "-Xcc", "-m\($0)"] }
    return [.unsafeFlags(flags + ["-Xcc", "-Wno-unused-command-line-argument"], kernelCondition)]
  }
#else
  let hardwareKernels: [SwiftSetting] = []
  func instructionSet(_ names: String...) -> [SwiftSetting] { [] }
#endif

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
    .library(name: "SignInWithApple", targets: ["SignInWithApple"]),
    .library(name: "TokenRefresh", targets: ["TokenRefresh"]),
    .executable(name: "jose", targets: ["JOSECommand"]),
    .executable(name: "bench", targets: ["bench"]),
  ],
  traits: [
    .trait(
      name: "HardwareKernels",
      description: "Use AES-NI, PCLMULQDQ, SHA-NI and AVX-512 where the processor has them (x86-64 Linux)."),
    .default(enabledTraits: ["HardwareKernels"]),
  ],
  dependencies: [],
  targets: [
    // One target per level of instructions: flags apply to a whole target, and the optimiser may use them anywhere in it.
    .target(
      name: "PureCryptoKernels",
      swiftSettings: lineTablesInRelease + optimizedInDebug + vectorInstructions + hardwareKernels
        + instructionSet("aes", "pclmul", "sha", "sse4.1")),
    .target(
      name: "PureCryptoKernelsAVX512",
      swiftSettings: lineTablesInRelease + optimizedInDebug + vectorInstructions + hardwareKernels
        + instructionSet("avx512f", "avx512bw", "avx512vl", "vaes", "vpclmulqdq", "aes", "pclmul")),
    .target(
      name: "PureCrypto", dependencies: ["PureCryptoKernels", "PureCryptoKernelsAVX512"],
      swiftSettings: lineTablesInRelease + optimizedInDebug + vectorInstructions + hardwareKernels),
    .target(name: "StrictJSON", swiftSettings: lineTablesInRelease + optimizedInDebug),
    .target(name: "HTTPValues", swiftSettings: lineTablesInRelease),
    .target(name: "JOSE", dependencies: ["PureCrypto", "StrictJSON"], swiftSettings: lineTablesInRelease),
    .target(name: "JOSEFoundation", dependencies: ["JOSE", "HTTPValues"], swiftSettings: lineTablesInRelease),
    .target(
      name: "PlatformSSO", dependencies: ["PureCrypto", "JOSE", "HTTPValues", "StrictJSON", "TokenRefresh"],
      swiftSettings: lineTablesInRelease),
    .target(
      name: "NativeSSO", dependencies: ["JOSE", "HTTPValues", "PureCrypto", "StrictJSON"],
      swiftSettings: lineTablesInRelease),
    .target(name: "NativeSSOFoundation", dependencies: ["NativeSSO"], swiftSettings: lineTablesInRelease),
    .target(
      name: "SignInWithApple", dependencies: ["JOSE", "HTTPValues", "StrictJSON", "PureCrypto"],
      swiftSettings: lineTablesInRelease),
    .target(
      name: "TokenRefresh", dependencies: ["JOSE", "HTTPValues", "StrictJSON", "PureCrypto"],
      swiftSettings: lineTablesInRelease),
    .target(name: "VectorRunner", dependencies: ["JOSE", "PureCrypto", "StrictJSON"]),
    .executableTarget(
      name: "JOSECommand",
      dependencies: [
        "JOSE", "PlatformSSO", "NativeSSO", "SignInWithApple", "TokenRefresh", "HTTPValues", "StrictJSON", "PureCrypto",
        "VectorRunner",
      ]),
    .target(name: "Benchmarking", path: "Benchmarks/Benchmarking"),
    .executableTarget(
      name: "bench", dependencies: ["Benchmarking", "PureCrypto", "StrictJSON", "JOSE", "PlatformSSO", "HTTPValues"],
      path: "Benchmarks/bench"),

    .executableTarget(
      name: "ConstantTimeProbe", dependencies: ["PureCrypto", "JOSE"], path: "Tests/ConstantTime/Probe"),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "PureCrypto", "StrictJSON", "HTTPValues", "JOSE", "PlatformSSO", "NativeSSO", "SignInWithApple", "TokenRefresh",
        "VectorRunner",
      ],
      path: "Fuzz/Targets", swiftSettings: hardwareKernels),
    .executableTarget(name: "fuzz", dependencies: ["FuzzTargets"], path: "Fuzz/Driver"),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"]),
    .target(name: "TestSupport", dependencies: ["PureCrypto"], path: "Tests/TestSupport"),
    .testTarget(
      name: "PureCryptoTests", dependencies: ["PureCrypto", "TestSupport"], swiftSettings: hardwareKernels),
    .testTarget(name: "StrictJSONTests", dependencies: ["StrictJSON", "TestSupport"]),
    .testTarget(name: "HTTPValuesTests", dependencies: ["HTTPValues"]),
    .testTarget(name: "JOSETests", dependencies: ["JOSE", "PureCrypto", "StrictJSON", "TestSupport"]),
    .testTarget(name: "JOSEFoundationTests", dependencies: ["JOSEFoundation", "JOSE"]),
    .testTarget(
      name: "PlatformSSOTests",
      dependencies: [
        "PlatformSSO", "TokenRefresh", "HTTPValues", "JOSE", "PureCrypto", "StrictJSON", "TestSupport",
      ]),
    .testTarget(
      name: "NativeSSOTests",
      dependencies: ["NativeSSO", "NativeSSOFoundation", "HTTPValues", "JOSE", "PureCrypto", "TestSupport"]),
    .testTarget(
      name: "SignInWithAppleTests",
      dependencies: ["SignInWithApple", "HTTPValues", "JOSE", "PureCrypto", "StrictJSON", "TestSupport"]),
    .testTarget(
      name: "TokenRefreshTests",
      dependencies: ["TokenRefresh", "HTTPValues", "JOSE", "PureCrypto", "StrictJSON", "TestSupport"]),
    .testTarget(name: "VectorTests", dependencies: ["VectorRunner", "TestSupport"]),
    .testTarget(
      name: "ReadmeTests",
      dependencies: [
        "PureCrypto", "StrictJSON", "HTTPValues", "JOSE", "NativeSSO", "SignInWithApple", "TokenRefresh",
      ]),
    .testTarget(name: "JOSECommandTests", dependencies: ["JOSECommand", "TestSupport"]),
    .testTarget(name: "BenchmarkingTests", dependencies: ["Benchmarking"]),
  ],
  swiftLanguageModes: [.v6]
)
