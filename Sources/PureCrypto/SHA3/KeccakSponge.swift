/// A message on its way into the sponge that all functions of FIPS 202 share.
///
/// Its end is another type, ``KeccakOutput``: nothing can be added to a message that has been closed.
/// Timing: depends on the message's length and on how it is split, not on its bytes.
/// Source: FIPS 202 §4, §5.1, §6.
package struct KeccakSponge: BitwiseCopyable, Sendable {
  private var state = KeccakState()
  /// How many bytes go into the state between two permutations: 200 less twice the security strength, a multiple of 8.
  private let rate: Int
  /// Where the next byte goes. Invariant: 0 ≤ position < rate.
  private var position = 0
  /// What stands between the message and the padding: two bits that tell hash functions and XOFs apart, and a one.
  private let suffix: UInt8

  /// SHA3-256, SHA3-384 and SHA3-512: the capacity is twice the digest.
  package static func hash(digestByteCount: Int) -> KeccakSponge {
    KeccakSponge(rate: Keccak.byteCount &- 2 &* digestByteCount, suffix: 0x06)
  }

  /// SHAKE128, whose blocks are 168 bytes.
  package static var shake128: KeccakSponge { KeccakSponge(rate: 168, suffix: 0x1f) }

  /// SHAKE256, whose blocks are 136 bytes.
  package static var shake256: KeccakSponge { KeccakSponge(rate: 136, suffix: 0x1f) }

  private init(rate: Int, suffix: UInt8) {
    self.rate = rate
    self.suffix = suffix
  }

  /// Appends to the message.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var next = 0
    while next < bytes.count {
      if position == 0, bytes.count &- next >= rate {
        state.add(bytes, from: next, wordCount: rate &>> 3)
        state.permute()
        next &+= rate
        continue
      }
      if position & 7 == 0, bytes.count &- next >= 8 {
        state.add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: next, as: UInt64.self)), at: position)
        next &+= 8
        position &+= 8
      } else {
        state.add(UInt64(bytes[next]) &<< UInt64(position & 7 &* 8), at: position)
        next &+= 1
        position &+= 1
      }
      if position == rate {
        state.permute()
        position = 0
      }
    }
  }

  /// Appends one byte.
  package mutating func update(_ byte: UInt8) {
    withUnsafeBytes(of: byte) { update($0) }
  }

  /// Closes the message so far; this one stays open.
  package func finalize() -> KeccakOutput {
    var state = state
    state.withLanes { close($0, stride: 1, position: position) }
    return KeccakOutput(state, rate: rate)
  }

  /// Adds what closes a message: suffix ‖ 0* ‖ 1, in one byte where only one is left.
  /// - Parameter stride: from one lane of the state to the next, in words.
  @inline(__always)
  private func close(_ lanes: UnsafeMutablePointer<UInt64>, stride: Int, position: Int) {
    lanes[position &>> 3 &* stride] ^= UInt64(suffix) &<< UInt64(position & 7 &* 8)
    lanes[(rate &>> 3 &- 1) &* stride] ^= 1 &<< 63
  }

  /// Writes the state for a seed and a nonce, before its permutation: one of several that lie beside each other word by
  /// word. The message of this sponge doesn't count.
  /// - Parameter lanes: 25 words, `stride` apart, all zero.
  /// - Parameter seed: whole words.
  /// - Parameter nonce: a little-endian number of 1 or 2 bytes. Seed, nonce and padding fit into one block.
  @inline(__always)
  func fill(
    _ lanes: UnsafeMutablePointer<UInt64>, stride: Int, seed: UnsafeRawBufferPointer, nonce: UInt16,
    nonceByteCount: Int
  ) {
    let wordCount = seed.count &>> 3
    for lane in 0..<wordCount {
      lanes[lane &* stride] = UInt64(littleEndian: seed.loadUnaligned(fromByteOffset: 8 &* lane, as: UInt64.self))
    }
    lanes[wordCount &* stride] = UInt64(nonce)
    close(lanes, stride: stride, position: seed.count &+ nonceByteCount)
  }
}

/// What the sponge gives for a whole message: as many bytes as are asked for, piece by piece.
package struct KeccakOutput: BitwiseCopyable, Sendable {
  private var state: KeccakState
  private let rate: Int
  /// Where the next byte comes from; at `rate` a permutation comes first.
  private var position: Int

  fileprivate init(_ state: KeccakState, rate: Int) {
    self.state = state
    self.rate = rate
    self.position = rate
  }

  /// Writes the next bytes.
  package mutating func read(into bytes: UnsafeMutableRawBufferPointer) {
    var next = 0
    while next < bytes.count {
      if position == rate {
        state.permute()
        position = 0
      }
      let word = state.word(at: position)
      if position & 7 == 0, bytes.count &- next >= 8 {
        bytes.storeBytes(of: word.littleEndian, toByteOffset: next, as: UInt64.self)
        next &+= 8
        position &+= 8
      } else {
        bytes[next] = UInt8(truncatingIfNeeded: word &>> UInt64(position & 7 &* 8))
        next &+= 1
        position &+= 1
      }
    }
  }
}

/// The 25 lanes, in their order in memory.
private struct KeccakState: BitwiseCopyable, Sendable {
  private var lanes: (SIMD8<UInt64>, SIMD8<UInt64>, SIMD8<UInt64>, UInt64) = (.zero, .zero, .zero, 0)

  /// Adds to the lane that has the byte at `position`.
  @inline(__always)
  mutating func add(_ word: UInt64, at position: Int) {
    withLanes { $0[position &>> 3] ^= word }
  }

  /// Adds words to the first lanes. `bytes` must have 8 · `wordCount` bytes from `start` on.
  @inline(__always)
  mutating func add(_ bytes: UnsafeRawBufferPointer, from start: Int, wordCount: Int) {
    withLanes { lanes in
      for lane in 0..<wordCount {
        lanes[lane] ^= UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start &+ 8 &* lane, as: UInt64.self))
      }
    }
  }

  /// The lane that has the byte at `position`.
  @inline(__always)
  mutating func word(at position: Int) -> UInt64 {
    withLanes { $0[position &>> 3] }
  }

  mutating func permute() { withLanes { Keccak.permute($0, on: .preferred) } }

  @inline(__always)
  mutating func withLanes<Result>(_ body: (UnsafeMutablePointer<UInt64>) -> Result) -> Result {
    withUnsafeMutablePointer(to: &lanes) { lanes in
      lanes.withMemoryRebound(to: UInt64.self, capacity: Keccak.laneCount, body)
    }
  }
}
