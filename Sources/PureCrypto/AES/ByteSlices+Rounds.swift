/// The round transformations on eight blocks at once, "fixsliced": ShiftRows is never carried out.
///
/// In frame i, the byte of row r, column c stands at column c + i·r (indices modulo 4). A round leaves the bytes where
/// they are and goes on in frame i + 1; MixColumns then finds the next row of a column one lane further and i columns
/// further, for all rows alike. After four rounds the frame is 0 again.
///
/// Source: A. Adomnicai, T. Peyrin, "Fixslicing AES-like ciphers", CHES 2021 (eprint 2020/1123).
extension ByteSlices<BlockSlice> {
  /// MixColumns in frame `frame`, 0 to 3.
  ///
  /// With R the step to the next row: b = 2a ⊕ 3Ra ⊕ R²a ⊕ R³a = 2t ⊕ Ra ⊕ R²t, where t = a ⊕ Ra.
  @inline(__always)
  mutating func mixColumns(frame: UInt32) {
    let n0 = s0.nextRow(columns: frame)
    let n1 = s1.nextRow(columns: frame)
    let n2 = s2.nextRow(columns: frame)
    let n3 = s3.nextRow(columns: frame)
    let n4 = s4.nextRow(columns: frame)
    let n5 = s5.nextRow(columns: frame)
    let n6 = s6.nextRow(columns: frame)
    let n7 = s7.nextRow(columns: frame)
    let t0 = s0 ^ n0
    let t1 = s1 ^ n1
    let t2 = s2 ^ n2
    let t3 = s3 ^ n3
    let t4 = s4 ^ n4
    let t5 = s5 ^ n5
    let t6 = s6 ^ n6
    let t7 = s7 ^ n7
    // Doubling in GF(2⁸) moves each bit up by one; bit 7 returns as x⁸ = x⁴ + x³ + x + 1.
    let twice = 2 &* frame & 3
    s0 = t7 ^ n0 ^ t0.overnextRow(columns: twice)
    s1 = t0 ^ t7 ^ n1 ^ t1.overnextRow(columns: twice)
    s2 = t1 ^ n2 ^ t2.overnextRow(columns: twice)
    s3 = t2 ^ t7 ^ n3 ^ t3.overnextRow(columns: twice)
    s4 = t3 ^ t7 ^ n4 ^ t4.overnextRow(columns: twice)
    s5 = t4 ^ n5 ^ t5.overnextRow(columns: twice)
    s6 = t5 ^ n6 ^ t6.overnextRow(columns: twice)
    s7 = t6 ^ n7 ^ t7.overnextRow(columns: twice)
  }

  /// InvMixColumns in frame `frame`, 0 to 3.
  ///
  /// The inverse matrix is MixColumns times the circulant (5, 0, 4, 0): a ↦ a ⊕ 4(a ⊕ R²a), then MixColumns.
  @inline(__always)
  mutating func mixColumnsInversely(frame: UInt32) {
    let twice = 2 &* frame & 3
    let u0 = s0 ^ s0.overnextRow(columns: twice)
    let u1 = s1 ^ s1.overnextRow(columns: twice)
    let u2 = s2 ^ s2.overnextRow(columns: twice)
    let u3 = s3 ^ s3.overnextRow(columns: twice)
    let u4 = s4 ^ s4.overnextRow(columns: twice)
    let u5 = s5 ^ s5.overnextRow(columns: twice)
    let u6 = s6 ^ s6.overnextRow(columns: twice)
    let u7 = s7 ^ s7.overnextRow(columns: twice)
    // 4u: two steps up; bits 6 and 7 return as x⁸ and x⁹ = x⁵ + x⁴ + x² + x.
    s0 = s0 ^ u6
    s1 = s1 ^ u6 ^ u7
    s2 = s2 ^ u0 ^ u7
    s3 = s3 ^ u1 ^ u6
    s4 = s4 ^ u2 ^ u6 ^ u7
    s5 = s5 ^ u3 ^ u7
    s6 = s6 ^ u4
    s7 = s7 ^ u5
    mixColumns(frame: frame)
  }

  /// Returns from frame 2 to frame 0, or the other way.
  @inline(__always)
  mutating func shiftRowsTwice() {
    s0 = s0.shiftedTwice
    s1 = s1.shiftedTwice
    s2 = s2.shiftedTwice
    s3 = s3.shiftedTwice
    s4 = s4.shiftedTwice
    s5 = s5.shiftedTwice
    s6 = s6.shiftedTwice
    s7 = s7.shiftedTwice
  }

  @inline(__always)
  mutating func add(_ key: ByteSlices<BlockSlice>) {
    s0 = s0 ^ key.s0
    s1 = s1 ^ key.s1
    s2 = s2 ^ key.s2
    s3 = s3 ^ key.s3
    s4 = s4 ^ key.s4
    s5 = s5 ^ key.s5
    s6 = s6 ^ key.s6
    s7 = s7 ^ key.s7
  }

  /// Turns eight blocks of bytes into slices, or slices into blocks: the transposition is its own inverse.
  ///
  /// Before: register b is block b, byte 4r + c of it at row r, column c. After: register i is slice i.
  @inline(__always)
  mutating func transposeBits() {
    Self.exchange(&s0, &s1, 1, 0x5555_5555_5555_5555)
    Self.exchange(&s2, &s3, 1, 0x5555_5555_5555_5555)
    Self.exchange(&s4, &s5, 1, 0x5555_5555_5555_5555)
    Self.exchange(&s6, &s7, 1, 0x5555_5555_5555_5555)
    Self.exchange(&s0, &s2, 2, 0x3333_3333_3333_3333)
    Self.exchange(&s1, &s3, 2, 0x3333_3333_3333_3333)
    Self.exchange(&s4, &s6, 2, 0x3333_3333_3333_3333)
    Self.exchange(&s5, &s7, 2, 0x3333_3333_3333_3333)
    Self.exchange(&s0, &s4, 4, 0x0f0f_0f0f_0f0f_0f0f)
    Self.exchange(&s1, &s5, 4, 0x0f0f_0f0f_0f0f_0f0f)
    Self.exchange(&s2, &s6, 4, 0x0f0f_0f0f_0f0f_0f0f)
    Self.exchange(&s3, &s7, 4, 0x0f0f_0f0f_0f0f_0f0f)
  }

  /// Exchanges the bits of `x` that stand `count` above the mask with the bits of `y` under the mask.
  @inline(__always)
  private static func exchange(_ x: inout BlockSlice, _ y: inout BlockSlice, _ count: UInt64, _ mask: UInt64) {
    let difference = ((x &>> count) ^ y) & BlockSlice(SIMD2(repeating: mask))
    y = y ^ difference
    x = x ^ (difference &<< count)
  }

  /// Loads up to eight blocks in rows: register b is block b with rows and columns exchanged. Missing blocks are zero.
  /// - Parameter blocks: at most 128 bytes, a multiple of 16.
  init(rowsOf blocks: UnsafeRawBufferPointer) {
    func row(_ index: Int) -> BlockSlice {
      guard 16 &* index < blocks.count else { return BlockSlice(.zero) }
      return BlockSlice(blocks.loadUnaligned(fromByteOffset: 16 &* index, as: AESBlock.self).transposedBytes)
    }
    self.init(s0: row(0), s1: row(1), s2: row(2), s3: row(3), s4: row(4), s5: row(5), s6: row(6), s7: row(7))
  }

  /// Stores the first blocks of eight blocks in rows.
  /// - Parameter blocks: at most 128 bytes, a multiple of 16.
  func storeRows(to blocks: UnsafeMutableRawBufferPointer) {
    func store(_ row: BlockSlice, _ index: Int) {
      guard 16 &* index < blocks.count else { return }
      blocks.storeBytes(of: row.bits.transposedBytes, toByteOffset: 16 &* index, as: AESBlock.self)
    }
    store(s0, 0)
    store(s1, 1)
    store(s2, 2)
    store(s3, 3)
    store(s4, 4)
    store(s5, 5)
    store(s6, 6)
    store(s7, 7)
  }
}
