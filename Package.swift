// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// Whether SwiftPM fetched this package for another one. Names of executable products are looked up in the whole graph:
/// with ours among them, `swift run bench` in a client that has a `bench` of its own would run this one, or fail. So
/// they are offered here only.
let isFetchedByAClient: Bool = {
  let parent = URL(fileURLWithPath: Context.packageDirectory).deletingLastPathComponent()
  let repositories = parent.deletingLastPathComponent().appendingPathComponent("repositories")
  return parent.lastPathComponent == "checkouts" && FileManager.default.fileExists(atPath: repositories.path)
}()
let commands: [Product] = [
  .executable(name: "jose", targets: ["PureJOSECommand"]),
  .executable(name: "bench", targets: ["PureJOSEBench"]),
  // The harness of `bench`, for `Benchmarks/Peers` and `Integrations/GRDBStores`.
  .library(name: "PureJOSEBenchmarking", targets: ["PureJOSEBenchmarking"]),
  // For `Tests/Tools`.
  .library(name: "PureJOSEVectors", targets: ["PureJOSEVectors"]),
  .library(name: "PureJOSENativeSSOAdministration", targets: ["PureJOSENativeSSOAdministration"]),
  .library(
    name: "PureCryptoKernels",
    targets: [
      "PureCryptoKernels", "PureCryptoKernelsAVX2", "PureCryptoKernelsVAES", "PureCryptoKernelsAVX512",
      "PureCryptoKernelsIFMA",
    ]),
]

/// Pure-Swift cryptography is 10 to 1000 times slower without the optimiser. The libraries are therefore optimised in
/// debug builds as well, so that tests and a user's own debug build run at full speed. File by file: both build systems
/// tell the compiler to build incrementally in debug, and with whole modules it warns in every client, and Swift Build
/// waits for files that don't come. CONTRIBUTING says what that asks of the code. Line tables are what backtraces need;
/// descriptions of variables, most of them optimised away, would take a fifth of the build's time and half of its room.
let library: [SwiftSetting] = [
  .unsafeFlags(["-O"], .when(configuration: .debug)),
  .unsafeFlags(["-Xfrontend", "-gline-tables-only"]),
]

/// What reads or writes memory without a check of its bounds is marked `unsafe`, with the bound beside it. The compiler
/// asks for that in every target above PureCrypto but those of tests.
let checked: [SwiftSetting] = [.strictMemorySafety()]

/// The load that hides decisions about secrets from the optimiser: nothing in the language takes its place. PureCrypto
/// needs it with and without kernels.
let builtins: [SwiftSetting] = [.enableExperimentalFeature("BuiltinModule")]

/// What is asked here is what is built for, not what is built on: a condition names the platforms, and `-Xarch_x86_64`
/// or `-Xarch_aarch64` drops a flag where the target is another architecture, and Clang then says nothing about it
/// (`.ci/check-kernel-flags`). A Mac that builds for Linux gets kernels too. Of x86-64, only the optimiser's own
/// judgement on Linux was checked. Apple's arm64 needs no flag, since its oldest processors have the instructions;
/// SHA-512 only in Macs and watches, and Windows doesn't say whether it has it. The platforms of `onARM` are all that
/// have kernels of either kind.
let onLinux = BuildSettingCondition.when(platforms: [.linux], traits: ["HardwareKernels"])
let onARM = BuildSettingCondition.when(
  platforms: [.linux, .android, .windows, .macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS],
  traits: ["HardwareKernels"])
let onARMWithFlags: [Platform] = [.linux, .android, .windows]
let onARMWithSHA512 = BuildSettingCondition.when(
  platforms: [.linux, .android, .macOS, .watchOS], traits: ["HardwareKernels"])
let hardwareKernels: [SwiftSetting] = [
  .define("HARDWARE_KERNELS", onLinux), .define("ARM_KERNELS", onARM), .define("ARM_SHA512_KERNELS", onARMWithSHA512),
]

/// The standard library's `&`, `^` and shifts on SIMD types are loops over lanes, which the optimiser turns back into
/// vector instructions in short functions only. A file of one-line wrappers asks for the instructions themselves.
let vectorInstructions: [SwiftSetting] = [.enableExperimentalFeature("BuiltinModule", onARM)]

/// `@_extern(c)` declares the one function of the C library that says what an ARM processor can do.
let declarationsOfC: [SwiftSetting] = [.enableExperimentalFeature("Extern", onARM)]

func instructionSet(_ names: String...) -> [SwiftSetting] {
  let flags = names.flatMap { ["-Xcc", "-Xarch_x86_64", "-Xcc", "-m\($0)"] }
  return [.unsafeFlags(flags + ["-Xcc", "-Qunused-arguments"], onLinux)]
}
func armInstructionSet(_ names: String..., on platforms: [Platform] = onARMWithFlags) -> [SwiftSetting] {
  let architecture = (["armv8-a"] + names).joined(separator: "+")
  let flags = ["-Xcc", "-Xarch_aarch64", "-Xcc", "-march=\(architecture)", "-Xcc", "-Qunused-arguments"]
  return [.unsafeFlags(flags, .when(platforms: platforms, traits: ["HardwareKernels"]))]
}

let package = Package(
  name: "PureJOSE",
  // UInt128 sets the floor on Apple platforms. Other platforms have no such floor.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "PureCrypto", targets: ["PureCrypto"]),
    .library(name: "StrictJSON", targets: ["StrictJSON"]),
    .library(name: "JOSE", targets: ["JOSE"]),
    .library(name: "JOSEFoundation", targets: ["JOSEFoundation"]),
    .library(name: "PlatformSSOKit", targets: ["PlatformSSOKit"]),
    .library(name: "NativeSSOKit", targets: ["NativeSSOKit"]),
    .library(name: "AppleSignInKit", targets: ["AppleSignInKit"]),
    .library(name: "AppleSignInKitFoundation", targets: ["AppleSignInKitFoundation"]),
    .library(name: "OpenIDKit", targets: ["OpenIDKit"]),
    .library(name: "OpenIDKitFoundation", targets: ["OpenIDKitFoundation"]),
    .library(name: "IdentityTesting", targets: ["IdentityTesting"]),
  ] + (isFetchedByAClient ? [] : commands),
  traits: [
    .trait(
      name: "HardwareKernels",
      description: """
        Use AES-NI, PCLMULQDQ, SHA-NI, AVX2 and AVX-512 (x86-64 Linux), or AES, PMULL, SHA-256 and SHA-512 of ARMv8, \
        where the processor has them.
        """),
    .default(enabledTraits: ["HardwareKernels"]),
  ],
  dependencies: [],
  // SwiftPM refuses two targets of one name anywhere in a graph, used or not. Those that are no product begin with
  // PureJOSE or with a product's name, so that a client's own are not among them (`Tests/Clients/names`).
  targets: [
    // One target per level of instructions: flags apply to a whole target, and the optimiser may use them anywhere in
    // it.
    .target(
      name: "PureCryptoInstructions",
      path: "Sources/Kernels/PureCryptoInstructions",
      swiftSettings: library + vectorInstructions + hardwareKernels
        + instructionSet("aes", "pclmul", "sha", "sse4.1") + armInstructionSet("crypto")),
    .target(
      name: "PureCryptoKernels", dependencies: ["PureCryptoInstructions"],
      path: "Sources/Kernels/PureCryptoKernels",
      swiftSettings: library + vectorInstructions + hardwareKernels
        + instructionSet("aes", "pclmul", "sha", "sse4.1") + armInstructionSet("crypto")),
    .target(
      name: "PureCryptoKernelsSHA512",
      path: "Sources/Kernels/PureCryptoKernelsSHA512",
      swiftSettings: library + vectorInstructions + hardwareKernels
        + armInstructionSet("crypto", "sha3", on: [.linux, .android])),
    .target(
      name: "PureCryptoKernelsAVX2",
      path: "Sources/Kernels/PureCryptoKernelsAVX2",
      swiftSettings: library + vectorInstructions + hardwareKernels + instructionSet("avx2", "bmi", "bmi2")),
    .target(
      name: "PureCryptoKernelsVAES",
      path: "Sources/Kernels/PureCryptoKernelsVAES",
      swiftSettings: library + vectorInstructions + hardwareKernels
        + instructionSet("avx2", "vaes", "vpclmulqdq", "aes", "pclmul")),
    .target(
      name: "PureCryptoKernelsAVX512",
      path: "Sources/Kernels/PureCryptoKernelsAVX512",
      swiftSettings: library + vectorInstructions + hardwareKernels
        + instructionSet(
          "avx512f", "avx512bw", "avx512vl", "avx512vbmi", "vaes", "vpclmulqdq", "aes", "pclmul")),
    .target(
      name: "PureCryptoKernelsIFMA",
      path: "Sources/Kernels/PureCryptoKernelsIFMA",
      swiftSettings: library + vectorInstructions + hardwareKernels
        + instructionSet("avx512f", "avx512dq", "avx512ifma")),
    .target(name: "PureCryptoIntegers", swiftSettings: library),
    .target(
      name: "PureCrypto",
      dependencies: [
        "PureCryptoIntegers", "PureCryptoKernels", "PureCryptoKernelsAVX2", "PureCryptoKernelsVAES",
        "PureCryptoKernelsAVX512", "PureCryptoKernelsIFMA", "PureCryptoKernelsSHA512",
      ],
      swiftSettings: library + builtins + declarationsOfC + hardwareKernels),
    .target(name: "StrictJSON", swiftSettings: library + checked),
    .target(name: "JOSE", dependencies: ["PureCrypto", "StrictJSON"], swiftSettings: library + checked),
    .target(
      name: "JOSEFoundation", dependencies: ["JOSE", "PureCrypto", "StrictJSON"], swiftSettings: library + checked),
    .target(
      name: "PlatformSSOKit", dependencies: ["PureCrypto", "JOSE", "StrictJSON"], swiftSettings: library + checked),
    .target(
      name: "NativeSSOKit", dependencies: ["JOSE", "PureCrypto", "StrictJSON", "OpenIDKit"],
      swiftSettings: library + checked),
    .target(
      name: "AppleSignInKit", dependencies: ["OpenIDKit", "JOSE", "StrictJSON", "PureCrypto"],
      swiftSettings: library + checked),
    .target(
      name: "AppleSignInKitFoundation", dependencies: ["AppleSignInKit", "JOSE"], swiftSettings: library + checked),
    .target(
      name: "OpenIDKit", dependencies: ["JOSE", "StrictJSON", "PureCrypto"],
      swiftSettings: library + checked),
    .target(
      name: "OpenIDKitFoundation", dependencies: ["OpenIDKit", "JOSEFoundation", "PureCrypto"],
      swiftSettings: library + checked),
    // For tests, a user's and ours: what a store must keep, and a stand-in for Apple.
    .target(
      name: "IdentityTesting",
      dependencies: [
        "OpenIDKit", "NativeSSOKit", "AppleSignInKit", "PlatformSSOKit", "JOSE", "StrictJSON", "PureCrypto",
      ],
      swiftSettings: checked),
    .target(
      name: "PureJOSEVectors", dependencies: ["JOSE", "PureCrypto", "StrictJSON"], swiftSettings: checked),
    .executableTarget(
      name: "PureJOSECommand",
      dependencies: [
        "JOSE", "PlatformSSOKit", "NativeSSOKit", "AppleSignInKit", "IdentityTesting", "OpenIDKit", "StrictJSON",
        "PureCrypto", "PureJOSEVectors",
      ],
      swiftSettings: checked),
    .target(name: "PureJOSEBenchmarking", path: "Benchmarks/PureJOSEBenchmarking", swiftSettings: checked),
    .executableTarget(
      name: "PureJOSEBench",
      dependencies: [
        "PureJOSEBenchmarking", "PureCrypto", "StrictJSON", "JOSE", "PlatformSSOKit", "OpenIDKit",
      ],
      path: "Benchmarks/PureJOSEBench", swiftSettings: checked),

    // HTTP for administrators of Native SSO, of the example provider; tested and fuzzed here.
    .target(
      name: "PureJOSENativeSSOAdministration", dependencies: ["NativeSSOKit", "OpenIDKit", "JOSE", "StrictJSON"],
      path: "Examples/IdentityProvider/Sources/NativeSSOAdministration", packageAccess: false,
      swiftSettings: checked),
    .target(name: "PureJOSETestSupport", dependencies: ["PureCrypto"], path: "Tests/PureJOSETestSupport"),
    .testTarget(
      name: "PureCryptoTests", dependencies: ["PureCrypto", "PureCryptoKernelsAVX2", "PureJOSETestSupport"],
      swiftSettings: hardwareKernels),
    .testTarget(name: "StrictJSONTests", dependencies: ["StrictJSON", "PureJOSETestSupport"]),
    .testTarget(
      name: "JOSETests",
      dependencies: [
        "JOSE", "PureCrypto", "StrictJSON", "PureJOSETestSupport", "PureJOSEBenchmarking",
      ]),
    .testTarget(name: "JOSEFoundationTests", dependencies: ["JOSEFoundation", "JOSE", "PureCrypto", "StrictJSON"]),
    .testTarget(
      name: "PlatformSSOKitTests",
      dependencies: [
        "PlatformSSOKit", "OpenIDKit", "JOSE", "PureCrypto", "StrictJSON", "PureJOSETestSupport",
      ]),
    .testTarget(
      name: "NativeSSOKitTests",
      dependencies: [
        "NativeSSOKit", "PureJOSENativeSSOAdministration", "OpenIDKit", "OpenIDKitFoundation", "IdentityTesting",
        "JOSE",
        "JOSEFoundation",
        "PureCrypto", "PureJOSETestSupport",
      ]),
    .testTarget(
      name: "AppleSignInKitTests",
      dependencies: [
        "AppleSignInKit", "AppleSignInKitFoundation", "IdentityTesting", "OpenIDKit", "JOSE", "PureCrypto",
        "StrictJSON", "PureJOSETestSupport",
      ]),
    .testTarget(
      name: "OpenIDKitTests",
      dependencies: ["OpenIDKit", "IdentityTesting", "JOSE", "PureCrypto", "StrictJSON", "PureJOSETestSupport"]),
    .testTarget(
      name: "IdentityTestingTests",
      dependencies: [
        "IdentityTesting", "OpenIDKit", "NativeSSOKit", "AppleSignInKit", "PlatformSSOKit",
        "JOSE",
        "StrictJSON",
      ]),
    .testTarget(
      name: "OpenIDKitFoundationTests",
      dependencies: ["OpenIDKitFoundation", "JOSEFoundation", "OpenIDKit", "IdentityTesting"]),
    .testTarget(name: "PureJOSEVectorTests", dependencies: ["PureJOSEVectors", "PureJOSETestSupport"]),
    .testTarget(
      name: "PureJOSEReadmeTests",
      dependencies: [
        "PureCrypto", "StrictJSON", "JOSE", "NativeSSOKit", "AppleSignInKit", "OpenIDKit", "IdentityTesting",
      ]),
    .testTarget(name: "PureJOSECommandTests", dependencies: ["PureJOSECommand", "PureJOSETestSupport"]),
    .testTarget(name: "PureJOSEBenchmarkingTests", dependencies: ["PureJOSEBenchmarking"]),
  ],
  swiftLanguageModes: [.v6]
)

// `.ci/quick` builds the tests that it names and what they stand on, and nothing else.
if let names = Context.environment["PUREJOSE_TESTS"], !isFetchedByAClient {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var needed: Set<String> = []
  var found = names.split(separator: " ").map(String.init)
  while let name = found.popLast() {
    guard needed.insert(name).inserted else { continue }
    for case .byNameItem(let dependency, _) in targets[name]?.dependencies ?? [] { found.append(dependency) }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products.removeAll { product in
    let stands = (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []
    return !needed.isSuperset(of: stands)
  }
}
