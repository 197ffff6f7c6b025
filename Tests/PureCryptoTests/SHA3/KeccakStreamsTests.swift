import PureJOSETestSupport
import Testing

@testable import PureCrypto

@Suite("Keccak, several states at once")
struct KeccakStreamsTests {
  private static let widths = Backend.available.map { KeccakWidth(forStates: 8, on: $0) }

  /// States as the permutation takes them, and back.
  private func interleaved(_ states: [[UInt64]]) -> [UInt64] {
    (0..<Keccak.laneCount).flatMap { lane in states.map { $0[lane] } }
  }

  private func separated(_ words: [UInt64], count: Int) -> [[UInt64]] {
    (0..<count).map { state in (0..<Keccak.laneCount).map { words[$0 * count + state] } }
  }

  private func permuted(_ states: [[UInt64]], _ width: KeccakWidth) -> [[UInt64]] {
    let bytes = interleaved(states).withUnsafeBytes { Array($0) }
    let words = withGuardedBytes(bytes) { areas in
      let words = areas[0].bindMemory(to: UInt64.self)
      if let start = words.baseAddress { width.permute(start) }
      return Array(words)
    }
    return separated(words, count: states.count)
  }

  @Test("each state becomes what it becomes alone", arguments: widths)
  func permutations(width: KeccakWidth) {
    var generator = TestGenerator(seed: 1)
    for round in 0..<100 {
      let states = (0..<width.stateCount).map { _ in
        (0..<Keccak.laneCount).map { _ in round == 0 ? 0 : UInt64.random(in: 0...UInt64.max, using: &generator) }
      }
      let alone = states.map { permuted([$0], .one(.portable))[0] }
      #expect(permuted(states, width) == alone)
      // One bit of one state changes this state, and no other.
      let (state, lane) = (round % width.stateCount, round % Keccak.laneCount)
      var changed = states
      changed[state][lane] ^= 1 << UInt64(round % 64)
      let differing = zip(permuted(changed, width), alone).map { $0 != $1 }
      #expect(differing == (0..<width.stateCount).map { $0 == state })
    }
  }

  @Test("from two states on, AVX-512 permutes eight, the SHA-3 instructions of ARM two, and all else one")
  func widthOfBackends() {
    for backend in Backend.available {
      #expect(KeccakWidth(forStates: 1, on: backend).stateCount == 1)
      let count = backend.rawValue.hasPrefix("avx512") ? 8 : backend.hasSHA512Instructions ? 2 : 1
      for states in [2, 8, 9] { #expect(KeccakWidth(forStates: states, on: backend).stateCount == count) }
    }
  }

  /// The streams' words as far as asked for, by the functions of this package and by the sponge alone.
  @Test("streams are the outputs of SHAKE", arguments: Backend.available, [1, 2])
  func streams(backend: Backend, nonceByteCount: Int) {
    for (function, shake, blockWordCount) in [
      (KeccakSponge.shake128, SHAKE.shake128, KeccakBlock.wordCount128),
      (KeccakSponge.shake256, SHAKE.shake256, KeccakBlock.wordCount256),
    ] {
      for (seedByteCount, count) in [(32, 1), (32, 2), (64, 7), (32, 8), (64, 9), (32, 10), (64, 17), (32, 56)] {
        let seed = testBytes(count: seedByteCount)
        func nonce(_ stream: Int) -> UInt16 {
          UInt16(truncatingIfNeeded: stream &* 0x4d35 &+ 7) & (nonceByteCount == 1 ? 0xff : 0xffff)
        }
        var words = [[UInt64]](repeating: [], count: count)
        seed.withUnsafeBytes { seed in
          KeccakStreams(function, seed: seed, nonceByteCount: nonceByteCount, backend: backend).read(
            count, until: 1000, nonce: nonce
          ) { stream, block, progress in
            #expect(progress < 1000)
            #expect(progress == words[stream].count / blockWordCount * 400)
            words[stream] += (0..<blockWordCount).map { block.words[$0 * block.stride] }
            // Every third stream is read farther than the others.
            return stream % 3 == 0 ? progress + 400 : 1000
          }
        }
        for stream in 0..<count {
          let blockCount = stream % 3 == 0 ? 3 : 1
          var message = shake
          message.update(seed + withUnsafeBytes(of: nonce(stream).littleEndian) { $0.prefix(nonceByteCount) })
          let expected = message.output(byteCount: 8 * blockWordCount * blockCount)
          let bytes = words[stream].flatMap { word in withUnsafeBytes(of: word.littleEndian) { [UInt8]($0) } }
          #expect(bytes == expected, "stream \(stream) of \(count) on \(backend)")
        }
      }
    }
  }
}
