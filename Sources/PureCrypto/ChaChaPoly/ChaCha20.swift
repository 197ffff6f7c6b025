internal import Builtin

#if HARDWARE_KERNELS && arch(x86_64)
  internal import PureCryptoKernelsAVX2
  internal import PureCryptoKernelsAVX512
#endif

/// The keystream of ChaCha20 under one key and nonce, as many blocks at a time as the backend computes.
///
/// The block that all others are made of lies in memory that the caller keeps and wipes: it holds the key.
///
/// Timing: depends on the number of blocks only.
/// Source: RFC 8439 §2.3, 2.4.
struct ChaCha20 {
  /// The length of the first block: sixteen words.
  static let blockByteCount = 64
  /// The most that any backend computes at a time.
  static let maximumBatchByteCount = 1024

  private let block: UnsafePointer<UInt32>
  private let backend: Backend
  /// The binary logarithm of `batchByteCount`: lengths are shifted by it, and nothing is divided.
  let batchShift: Int
  /// How many bytes the backend computes at a time, a multiple of the 64 of a block.
  var batchByteCount: Int { 1 &<< batchShift }

  /// - Parameter key: 32 bytes.
  /// - Parameter memory: room for sixteen words, which hold the key afterwards.
  init(
    key: UnsafeRawPointer, nonce: ChaCha20Poly1305.Nonce, memory: UnsafeMutablePointer<UInt32>, backend: Backend
  ) {
    // "expand 32-byte k", and the key behind it; the counter's place, and the nonce.
    memory[0] = 0x6170_7865
    memory[1] = 0x3320_646e
    memory[2] = 0x7962_2d32
    memory[3] = 0x6b20_6574
    for index in 0..<8 {
      memory[4 &+ index] = UInt32(littleEndian: key.loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self))
    }
    memory[12] = 0
    for index in 0..<3 { memory[13 &+ index] = UInt32(littleEndian: nonce.words[index]) }
    block = UnsafePointer(memory)
    self.backend = backend
    switch backend {
    #if HARDWARE_KERNELS && arch(x86_64)
      case .avx512, .avx512ifma: batchShift = 10
      case .avx2, .avx2vaes: batchShift = 9
    #endif
    default: batchShift = 8
    }
  }

  /// Output = input ⊕ keystream, for whole batches from block `counter` on.
  /// - Parameter output: the same address as `input` or no overlap; `batchCount` · `batchByteCount` bytes each.
  @inline(__always)
  func add(
    from counter: UInt32, to input: UnsafeRawPointer, into output: UnsafeMutableRawPointer, batchCount: Int
  ) {
    switch backend {
    #if HARDWARE_KERNELS && arch(x86_64)
      case .avx512, .avx512ifma:
        chacha20AddAVX512(block: block, counter: counter, input: input, output: output, batchCount: batchCount)
      case .avx2, .avx2vaes:
        chacha20AddAVX2(block: block, counter: counter, input: input, output: output, batchCount: batchCount)
    #endif
    default: addFourBlocks(block, counter, input, output, batchCount)
    }
  }

  /// The keystream itself, a batch of it from block `counter` on.
  /// - Parameter output: room for `maximumBatchByteCount` bytes.
  @inline(__always)
  func write(from counter: UInt32, into output: UnsafeMutableRawPointer) {
    output.initializeMemory(as: UInt8.self, repeating: 0, count: batchByteCount)
    add(from: counter, to: UnsafeRawPointer(output), into: output, batchCount: 1)
  }
}

// Four blocks at a time, for every processor: word i of block j is lane j of vector i, and rounds have no step between
// lanes.

/// Output = input ⊕ keystream for `batchCount` · 256 bytes.
private func addFourBlocks(
  _ block: UnsafePointer<UInt32>, _ counter: UInt32, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer,
  _ batchCount: Int
) {
  var (counter, input, output) = (counter, input, output)
  for _ in 0..<batchCount {
    // Lanes past the last block number of all are never used: nothing is lost when they wrap.
    let counters = Words(SIMD4(counter, counter &+ 1, counter &+ 2, counter &+ 3))
    var (x0, x1, x2, x3) = (Words(block[0]), Words(block[1]), Words(block[2]), Words(block[3]))
    var (x4, x5, x6, x7) = (Words(block[4]), Words(block[5]), Words(block[6]), Words(block[7]))
    var (x8, x9, x10, x11) = (Words(block[8]), Words(block[9]), Words(block[10]), Words(block[11]))
    var (x12, x13, x14, x15) = (counters, Words(block[13]), Words(block[14]), Words(block[15]))
    for _ in 0..<10 {
      quarterRound(&x0, &x4, &x8, &x12)
      quarterRound(&x1, &x5, &x9, &x13)
      quarterRound(&x2, &x6, &x10, &x14)
      quarterRound(&x3, &x7, &x11, &x15)
      quarterRound(&x0, &x5, &x10, &x15)
      quarterRound(&x1, &x6, &x11, &x12)
      quarterRound(&x2, &x7, &x8, &x13)
      quarterRound(&x3, &x4, &x9, &x14)
    }
    x0 = x0 + Words(block[0])
    x1 = x1 + Words(block[1])
    x2 = x2 + Words(block[2])
    x3 = x3 + Words(block[3])
    x4 = x4 + Words(block[4])
    x5 = x5 + Words(block[5])
    x6 = x6 + Words(block[6])
    x7 = x7 + Words(block[7])
    x8 = x8 + Words(block[8])
    x9 = x9 + Words(block[9])
    x10 = x10 + Words(block[10])
    x11 = x11 + Words(block[11])
    x12 = x12 + counters
    x13 = x13 + Words(block[13])
    x14 = x14 + Words(block[14])
    x15 = x15 + Words(block[15])
    addRows(x0, x1, x2, x3, input, output)
    addRows(x4, x5, x6, x7, input + 16, output + 16)
    addRows(x8, x9, x10, x11, input + 32, output + 32)
    addRows(x12, x13, x14, x15, input + 48, output + 48)
    counter &+= 4
    input += 256
    output += 256
  }
}

/// Source: RFC 8439 §2.1.
@inline(__always)
private func quarterRound(_ a: inout Words, _ b: inout Words, _ c: inout Words, _ d: inout Words) {
  a = a + b
  d = (d ^ a).rotated(16)
  c = c + d
  b = (b ^ c).rotated(12)
  a = a + b
  d = (d ^ a).rotated(8)
  c = c + d
  b = (b ^ c).rotated(7)
}

/// Output = input ⊕ four words of each of four blocks, which lie 64 bytes apart.
@inline(__always)
private func addRows(
  _ a: Words, _ b: Words, _ c: Words, _ d: Words, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer
) {
  let (a, b, c, d) = (a.lanes, b.lanes, c.lanes, d.lanes)
  let ab0 = SIMD4(a[0], b[0], a[1], b[1])
  let ab1 = SIMD4(a[2], b[2], a[3], b[3])
  let cd0 = SIMD4(c[0], d[0], c[1], d[1])
  let cd1 = SIMD4(c[2], d[2], c[3], d[3])
  addRow(Words(SIMD4(ab0[0], ab0[1], cd0[0], cd0[1])), input, output, 0)
  addRow(Words(SIMD4(ab0[2], ab0[3], cd0[2], cd0[3])), input, output, 64)
  addRow(Words(SIMD4(ab1[0], ab1[1], cd1[0], cd1[1])), input, output, 128)
  addRow(Words(SIMD4(ab1[2], ab1[3], cd1[2], cd1[3])), input, output, 192)
}

@inline(__always)
private func addRow(
  _ row: Words, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ offset: Int
) {
  #if _endian(big)
    let row = Words(
      SIMD4(row.lanes[0].byteSwapped, row.lanes[1].byteSwapped, row.lanes[2].byteSwapped, row.lanes[3].byteSwapped))
  #endif
  let sum = row ^ Words(input.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt32>.self))
  output.storeBytes(of: sum.lanes, toByteOffset: offset, as: SIMD4<UInt32>.self)
}

/// Four words of 32 bits, whose operations are single vector instructions on every processor that has vectors.
private struct Words {
  var lanes: SIMD4<UInt32>

  @inline(__always)
  init(_ lanes: SIMD4<UInt32>) { self.lanes = lanes }

  /// The word in every lane.
  @inline(__always)
  init(_ word: UInt32) { lanes = SIMD4(repeating: word) }

  @inline(__always)
  static func + (lhs: Words, rhs: Words) -> Words {
    var result = lhs
    result.lanes._storage._value = Builtin.add_Vec4xInt32(lhs.lanes._storage._value, rhs.lanes._storage._value)
    return result
  }

  @inline(__always)
  static func ^ (lhs: Words, rhs: Words) -> Words {
    var result = lhs
    result.lanes._storage._value = Builtin.xor_Vec4xInt32(lhs.lanes._storage._value, rhs.lanes._storage._value)
    return result
  }

  /// To the left by 1 to 31 bits.
  @inline(__always)
  func rotated(_ count: UInt32) -> Words {
    var result = self
    result.lanes._storage._value = Builtin.or_Vec4xInt32(
      Builtin.shl_Vec4xInt32(lanes._storage._value, SIMD4(repeating: count)._storage._value),
      Builtin.lshr_Vec4xInt32(lanes._storage._value, SIMD4(repeating: 32 &- count)._storage._value))
    return result
  }
}
