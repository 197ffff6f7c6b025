/// Outputs of SHAKE for a seed and several nonces, as many at once as the backend can compute.
///
/// FIPS 203 and 204 draw each polynomial from such a stream of its own. Nothing is copied: who reads a stream looks at
/// the state, and the states are wiped at the end.
struct KeccakStreams {
  private let empty: KeccakSponge
  private let seed: UnsafeRawBufferPointer
  private let nonceByteCount: Int
  private let backend: Backend

  /// - Parameter function: SHAKE128 or SHAKE256, with no input.
  /// - Parameter seed: what all messages begin with: 32 or 64 bytes.
  /// - Parameter nonceByteCount: 1 or 2.
  init(
    _ function: KeccakSponge, seed: UnsafeRawBufferPointer, nonceByteCount: Int, backend: Backend = .preferred
  ) {
    self.empty = function
    self.seed = seed
    self.nonceByteCount = nonceByteCount
    self.backend = backend
  }

  /// Reads streams block by block.
  /// - Parameter count: how many.
  /// - Parameter total: the progress at which a stream has been read far enough.
  /// - Parameter nonce: what the message of a stream ends in, a little-endian number. Asked once for each, in order.
  /// - Parameter take: takes a block of a stream, given its progress so far, 0 at first, and returns its progress now.
  ///
  /// Timing: depends on the counts, and on the progress of each stream.
  func read(
    _ count: Int, until total: Int, nonce: (_ stream: Int) -> UInt16,
    take: (_ stream: Int, _ block: KeccakBlock, _ progress: Int) -> Int
  ) {
    let byteCount = Keccak.byteCount &* KeccakWidth(forStates: count, on: backend).stateCount
    withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 64) { room in
      defer { wipe(room) }
      var first = 0
      while first < count {
        let width = KeccakWidth(forStates: count &- first, on: backend)
        let next = min(first &+ width.stateCount, count)
        guard let states = room.initializeMemory(as: UInt64.self, repeating: 0).baseAddress else { return }
        for stream in first..<next {
          empty.fill(
            states + (stream &- first), stride: width.stateCount, seed: seed, nonce: nonce(stream),
            nonceByteCount: nonceByteCount)
        }
        var progress = SIMD8<Int>.zero
        var isComplete = false
        while !isComplete {
          width.permute(states)
          isComplete = true
          for stream in first..<next where progress[stream &- first] < total {
            let place = stream &- first
            let block = KeccakBlock(words: states + place, stride: width.stateCount)
            progress[place] = take(stream, block, progress[place])
            isComplete = isComplete && progress[place] >= total
          }
        }
        first = next
      }
    }
  }
}

/// A block of a stream: its words lie `stride` apart in the states.
struct KeccakBlock {
  let words: UnsafePointer<UInt64>
  let stride: Int

  /// The words of a block of SHAKE128.
  static let wordCount128 = 21
  /// The words of a block of SHAKE256.
  static let wordCount256 = 17

  init(words: UnsafePointer<UInt64>, stride: Int) {
    self.words = words
    self.stride = stride
  }
}
