internal import PureCryptoIntegers

/// AES on eight blocks at a time, in portable constant-time Swift.
///
/// A view of round keys in memory that the caller keeps: eight slices for each, 128 bytes. They stand in the frames of
/// their rounds, all eight blocks alike, and those after the first carry the S-box constant: 0x63 in every byte passes
/// through ShiftRows and, since 2 ⊕ 3 ⊕ 1 ⊕ 1 = 1, through MixColumns unchanged.
///
/// Timing: depends on the variant and on the number of blocks only.
struct BitslicedAES {
  /// Room for the sliced round keys of the longest variant.
  static let maximumByteCount = 15 * 128

  let roundKeys: UnsafePointer<ByteSlices<BlockSlice>>
  let roundCount: Int

  /// A view of what `expand` wrote.
  @inline(__always)
  init(roundKeys: UnsafeRawPointer, variant: AESVariant) {
    self.roundKeys = roundKeys.assumingMemoryBound(to: ByteSlices<BlockSlice>.self)
    self.roundCount = variant.roundCount
  }

  /// Writes the sliced round keys of `key`, which has 4 · Nk bytes, into room for `maximumByteCount` bytes.
  static func expand(key: UnsafeRawPointer, variant: AESVariant, into memory: UnsafeMutableRawPointer) {
    let slices = memory.bindMemory(to: ByteSlices<BlockSlice>.self, capacity: 15)
    withUnsafeTemporaryAllocation(byteCount: AESKeySchedule.maximumByteCount, alignment: 16) { buffer in
      guard let roundKeys = buffer.baseAddress else { return }
      AESKeySchedule.expand(key: key, variant: variant, into: roundKeys)
      let last = variant.roundCount
      for round in 0...last {
        var block = roundKeys.load(fromByteOffset: 16 &* round, as: AESBlock.self)
        if round > 0 { block ^= AESBlock(repeating: 0x6363_6363_6363_6363) }
        // The last round key is added after the return to frame 0.
        slices[round] = slice(block.transposedBytes, frame: round == last ? 0 : round & 3)
      }
      wipe(buffer)
    }
  }

  /// The slices of eight times the same block, whose byte 4r + c belongs to row r, column c, in the given frame.
  private static func slice(_ block: AESBlock, frame: Int) -> ByteSlices<BlockSlice> {
    // Row r moves to the right by frame · r columns, that is by 8 · frame · r bits in a little-endian lane.
    let rows = unsafeBitCast(block, to: SIMD4<UInt32>.self)
    let count = SIMD4<UInt32>(0, 8, 16, 24) &* UInt32(truncatingIfNeeded: frame) & 31
    let framed = (rows &<< count) | (rows &>> (32 &- count & 31))
    let bytes = unsafeBitCast(framed, to: SIMD16<UInt8>.self)
    func spread(_ bit: UInt8) -> BlockSlice {
      BlockSlice(unsafeBitCast(SIMD16<UInt8>.zero &- ((bytes &>> bit) & 1), to: SIMD2<UInt64>.self))
    }
    return ByteSlices(
      s0: spread(0), s1: spread(1), s2: spread(2), s3: spread(3),
      s4: spread(4), s5: spread(5), s6: spread(6), s7: spread(7))
  }

  /// Encrypts eight blocks given in rows: register b is block b with rows and columns exchanged.
  ///
  /// Out of line: a call is nothing beside eight blocks, and every mode would carry all of it.
  @inline(never)
  func encrypt(_ state: inout ByteSlices<BlockSlice>) {
    state.transposeBits()
    state.add(roundKeys[0])
    var round = 1
    while true {
      state.encryptRound(frame: 1, roundKeys[round])
      // The last round with MixColumns is 9 or 13, in frame 1, or 11, in frame 3.
      if round &+ 1 == roundCount { break }
      state.encryptRound(frame: 2, roundKeys[round &+ 1])
      state.encryptRound(frame: 3, roundKeys[round &+ 2])
      if round &+ 3 == roundCount { break }
      state.encryptRound(frame: 0, roundKeys[round &+ 3])
      round &+= 4
    }
    state.substituteWithoutConstant()
    // The frame is 10, 12 or 14 modulo 4: 2 or 0.
    if roundCount & 3 != 0 { state.shiftRowsTwice() }
    state.add(roundKeys[roundCount])
    state.transposeBits()
  }

  /// Decrypts eight blocks given in rows: the steps of `encrypt` backwards. Out of line as well.
  @inline(never)
  func decrypt(_ state: inout ByteSlices<BlockSlice>) {
    state.transposeBits()
    state.add(roundKeys[roundCount])
    if roundCount & 3 != 0 { state.shiftRowsTwice() }
    state.substituteInverselyWithoutConstant()
    var round = roundCount &- 1
    if roundCount & 3 == 0 {
      state.decryptRound(frame: 3, roundKeys[round])
      state.decryptRound(frame: 2, roundKeys[round &- 1])
      round &-= 2
    }
    while true {
      state.decryptRound(frame: 1, roundKeys[round])
      if round == 1 { break }
      state.decryptRound(frame: 0, roundKeys[round &- 1])
      state.decryptRound(frame: 3, roundKeys[round &- 2])
      state.decryptRound(frame: 2, roundKeys[round &- 3])
      round &-= 4
    }
    state.add(roundKeys[0])
    state.transposeBits()
  }
}

extension ByteSlices<BlockSlice> {
  @inline(__always)
  fileprivate mutating func encryptRound(frame: UInt32, _ roundKey: ByteSlices<BlockSlice>) {
    substituteWithoutConstant()
    mixColumns(frame: frame)
    add(roundKey)
  }

  @inline(__always)
  fileprivate mutating func decryptRound(frame: UInt32, _ roundKey: ByteSlices<BlockSlice>) {
    add(roundKey)
    mixColumnsInversely(frame: frame)
    substituteInverselyWithoutConstant()
  }
}
