/// The hash subkey H of GCM, made ready for multiplication in GF(2¹²⁸) in portable constant-time Swift.
///
/// GCM writes polynomials with the coefficient of x⁰ in the most significant bit of the first byte. Loaded
/// big-endian, a block is therefore the integer whose bit k belongs to x¹²⁷⁻ᵏ, and the product of two such
/// integers has x²⁵⁴⁻ᵏ at bit k. The key holds H·x⁻¹ instead of H, which moves the product up by one bit:
/// x²⁵⁵⁻ᵏ at bit k, as two whole blocks want it.
///
/// Timing: depends on the number of blocks only.
/// Source: NIST SP 800-38D §6.3, 6.4.
struct GHASHKey: BitwiseCopyable {
  private let high, low, middle: CarrylessFactor

  /// - Parameter h: the block H, the encryption of the zero block, loaded big-endian.
  init(_ h: UInt128) {
    // x⁻¹ = x¹²⁷ + x⁶ + x + 1: bits 0, 121, 126 and 127. It comes in when x⁰ leaves at the top.
    let leaving = Mask(bit: UInt64(truncatingIfNeeded: h &>> 127)).word
    let inverse: UInt128 = 0xc200_0000_0000_0000_0000_0000_0000_0001
    let twisted = (h &<< 1) ^ (inverse & (UInt128(leaving) | UInt128(leaving) &<< 64))
    let highWord = UInt64(truncatingIfNeeded: twisted &>> 64)
    let lowWord = UInt64(truncatingIfNeeded: twisted)
    self.high = CarrylessFactor(highWord)
    self.low = CarrylessFactor(lowWord)
    self.middle = CarrylessFactor(highWord ^ lowWord)
  }

  /// y · H in GF(2¹²⁸).
  @inline(__always)
  func multiplied(by y: UInt128) -> UInt128 {
    // Karatsuba: the middle term is (y₁ ⊕ y₀)(h₁ ⊕ h₀) ⊕ y₁h₁ ⊕ y₀h₀.
    let y1 = UInt64(truncatingIfNeeded: y &>> 64)
    let y0 = UInt64(truncatingIfNeeded: y)
    let high = high.multiplied(by: y1)
    let low = low.multiplied(by: y0)
    let middle = middle.multiplied(by: y1 ^ y0) ^ high ^ low
    let upper = high ^ (middle &>> 64)
    let lower = low ^ (middle &<< 64)
    return upper ^ Self.reduce(lower)
  }

  /// x¹²⁸ · `lower`, reduced: x¹²⁸ = x⁷ + x² + x + 1, and multiplying by x is a shift to the right.
  @inline(__always)
  private static func reduce(_ lower: UInt128) -> UInt128 {
    // What the shifts push out at the right has degree 128 to 134. It is small enough to be folded along first:
    // its own image has degree below 14 and pushes nothing out.
    let out = (lower &<< 127) ^ (lower &<< 126) ^ (lower &<< 121)
    let all = lower ^ out
    return all ^ (all &>> 1) ^ (all &>> 2) ^ (all &>> 7)
  }
}

/// GHASH in progress: Y, loaded big-endian.
///
/// Source: NIST SP 800-38D §6.4.
struct GHASH {
  private(set) var y: UInt128 = 0

  /// Takes in whole blocks: Y ← (Y ⊕ X) · H for each.
  @inline(__always)
  mutating func update(blocks: UnsafeRawPointer, count: Int, key: UnsafePointer<GHASHKey>) {
    for index in 0..<count {
      let high = UInt64(bigEndian: blocks.loadUnaligned(fromByteOffset: 16 &* index, as: UInt64.self))
      let low = UInt64(bigEndian: blocks.loadUnaligned(fromByteOffset: 16 &* index &+ 8, as: UInt64.self))
      y = key.pointee.multiplied(by: y ^ (UInt128(high) &<< 64 | UInt128(low)))
    }
  }

  /// Takes in a byte string, its last block filled up with zeros.
  mutating func update(_ bytes: UnsafeRawBufferPointer, key: UnsafePointer<GHASHKey>) {
    guard let start = bytes.baseAddress else { return }
    let blockCount = bytes.count &>> 4
    update(blocks: start, count: blockCount, key: key)
    let remaining = bytes.count & 15
    guard remaining > 0 else { return }
    var block = AESBlock.zero
    withUnsafeMutableBytes(of: &block) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: start + 16 &* blockCount, count: remaining))
    }
    withUnsafeBytes(of: block) { bytes in
      guard let start = bytes.baseAddress else { return }
      update(blocks: start, count: 1, key: key)
    }
  }

  /// Takes in the last block: the lengths in bits of what was authenticated and of what was encrypted.
  mutating func update(bitCounts first: UInt64, _ second: UInt64, key: UnsafePointer<GHASHKey>) {
    y = key.pointee.multiplied(by: y ^ (UInt128(first) &<< 64 | UInt128(second)))
  }
}
