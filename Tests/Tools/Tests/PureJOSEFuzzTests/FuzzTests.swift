import Foundation
import PureJOSEFuzzTargets
import Testing

/// Every target with its seeds, and with seeds changed in a way that the seed of a generator fixes. libFuzzer goes
/// further; see Tests/Fuzz/README.md.
@Suite("Fuzz targets")
struct FuzzTests {
  private static let vectors = VectorFolderReader(
    folder: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../../TestVectors").standardizedFileURL.path)

  @Test("no seed and no changed seed breaks a law", arguments: FuzzTarget.all)
  func seeds(_ target: FuzzTarget) async throws {
    // A thread of its own: a target waits for asynchronous code, which must not be done on a thread that runs such
    // code.
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try Self.check(target) }) }
    }
  }

  private static func check(_ target: FuzzTarget) throws {
    let seeds = try target.seeds(vectors)
    var random = SplitMix64(state: 1)
    var acceptedCount = 0
    for seed in seeds {
      if try target.run(seed) { acceptedCount += 1 }
      _ = try target.run(mutated(seed, &random))
    }
    // A target all of whose seeds are refused would look at nothing but the first check.
    guard acceptedCount > 0 else { throw LawBroken(description: "no seed is accepted") }
    for _ in 0..<200 { _ = try target.run(mutated(seeds.randomElement(using: &random) ?? [], &random)) }
    _ = try target.run([])
  }

  /// A change of the kind that fuzzers make.
  private static func mutated(_ seed: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var input = seed
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      guard !input.isEmpty else { return [UInt8.random(in: 0...255, using: &random)] }
      let index = input.indices.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<6, using: &random) {
      case 0: input[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: input[index] = UInt8.random(in: 0...255, using: &random)
      case 2: input.remove(at: index)
      case 3: input.insert(input[index], at: index)
      case 4: input.removeSubrange(index..<min(input.count, index + 8))
      default: input.insert(contentsOf: input[index..<min(input.count, index + 8)], at: index)
      }
    }
    return input
  }
}

/// A small generator with a seed.
/// Source: Steele, Lea, Flood, *Fast splittable pseudorandom number generators*, 2014.
private struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z &>> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z &>> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z &>> 31
  }
}
