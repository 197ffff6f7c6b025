/// Keccak-f[1600]: the permutation of 25 lanes of 64 bits that SHA-3 and SHAKE are made of.
///
/// Lane (x, y) of the standard is word x + 5y, as it lies in memory and in the names below.
/// Timing: depends on nothing. Rotations and bitwise operations only.
/// Source: FIPS 202 §3.2, §3.3.
package enum Keccak {
  /// The number of lanes.
  package static let laneCount = 25
  /// The state in bytes.
  package static let byteCount = 200

  /// Permutes a state in place, 24 rounds of θ, ρ, π, χ and ι, in portable Swift.
  ///
  /// All lanes are local values: the compiler keeps as many in registers as there are.
  /// - Parameter lanes: 25 words.
  @inline(never)
  static func permutePortable(_ lanes: UnsafeMutablePointer<UInt64>) {
    var (a0, a1, a2, a3, a4) = (lanes[0], lanes[1], lanes[2], lanes[3], lanes[4])
    var (a5, a6, a7, a8, a9) = (lanes[5], lanes[6], lanes[7], lanes[8], lanes[9])
    var (a10, a11, a12, a13, a14) = (lanes[10], lanes[11], lanes[12], lanes[13], lanes[14])
    var (a15, a16, a17, a18, a19) = (lanes[15], lanes[16], lanes[17], lanes[18], lanes[19])
    var (a20, a21, a22, a23, a24) = (lanes[20], lanes[21], lanes[22], lanes[23], lanes[24])
    for round in 0..<24 {
      // θ: to each lane the parities of two columns beside it.
      let c0 = a0 ^ a5 ^ a10 ^ a15 ^ a20
      let c1 = a1 ^ a6 ^ a11 ^ a16 ^ a21
      let c2 = a2 ^ a7 ^ a12 ^ a17 ^ a22
      let c3 = a3 ^ a8 ^ a13 ^ a18 ^ a23
      let c4 = a4 ^ a9 ^ a14 ^ a19 ^ a24
      let d0 = c4 ^ rotated(c1, 1)
      let d1 = c0 ^ rotated(c2, 1)
      let d2 = c1 ^ rotated(c3, 1)
      let d3 = c2 ^ rotated(c4, 1)
      let d4 = c3 ^ rotated(c0, 1)
      // ρ and π: lane (x, y) is rotated and goes to (y, 2x + 3y).
      let b0 = a0 ^ d0
      let b1 = rotated(a6 ^ d1, 44)
      let b2 = rotated(a12 ^ d2, 43)
      let b3 = rotated(a18 ^ d3, 21)
      let b4 = rotated(a24 ^ d4, 14)
      let b5 = rotated(a3 ^ d3, 28)
      let b6 = rotated(a9 ^ d4, 20)
      let b7 = rotated(a10 ^ d0, 3)
      let b8 = rotated(a16 ^ d1, 45)
      let b9 = rotated(a22 ^ d2, 61)
      let b10 = rotated(a1 ^ d1, 1)
      let b11 = rotated(a7 ^ d2, 6)
      let b12 = rotated(a13 ^ d3, 25)
      let b13 = rotated(a19 ^ d4, 8)
      let b14 = rotated(a20 ^ d0, 18)
      let b15 = rotated(a4 ^ d4, 27)
      let b16 = rotated(a5 ^ d0, 36)
      let b17 = rotated(a11 ^ d1, 10)
      let b18 = rotated(a17 ^ d2, 15)
      let b19 = rotated(a23 ^ d3, 56)
      let b20 = rotated(a2 ^ d2, 62)
      let b21 = rotated(a8 ^ d3, 55)
      let b22 = rotated(a14 ^ d4, 39)
      let b23 = rotated(a15 ^ d0, 41)
      let b24 = rotated(a21 ^ d1, 2)
      // χ, the only step that is not linear, and ι.
      a0 = b0 ^ ~b1 & b2 ^ roundConstant(round)
      a1 = b1 ^ ~b2 & b3
      a2 = b2 ^ ~b3 & b4
      a3 = b3 ^ ~b4 & b0
      a4 = b4 ^ ~b0 & b1
      a5 = b5 ^ ~b6 & b7
      a6 = b6 ^ ~b7 & b8
      a7 = b7 ^ ~b8 & b9
      a8 = b8 ^ ~b9 & b5
      a9 = b9 ^ ~b5 & b6
      a10 = b10 ^ ~b11 & b12
      a11 = b11 ^ ~b12 & b13
      a12 = b12 ^ ~b13 & b14
      a13 = b13 ^ ~b14 & b10
      a14 = b14 ^ ~b10 & b11
      a15 = b15 ^ ~b16 & b17
      a16 = b16 ^ ~b17 & b18
      a17 = b17 ^ ~b18 & b19
      a18 = b18 ^ ~b19 & b15
      a19 = b19 ^ ~b15 & b16
      a20 = b20 ^ ~b21 & b22
      a21 = b21 ^ ~b22 & b23
      a22 = b22 ^ ~b23 & b24
      a23 = b23 ^ ~b24 & b20
      a24 = b24 ^ ~b20 & b21
    }
    (lanes[0], lanes[1], lanes[2], lanes[3], lanes[4]) = (a0, a1, a2, a3, a4)
    (lanes[5], lanes[6], lanes[7], lanes[8], lanes[9]) = (a5, a6, a7, a8, a9)
    (lanes[10], lanes[11], lanes[12], lanes[13], lanes[14]) = (a10, a11, a12, a13, a14)
    (lanes[15], lanes[16], lanes[17], lanes[18], lanes[19]) = (a15, a16, a17, a18, a19)
    (lanes[20], lanes[21], lanes[22], lanes[23], lanes[24]) = (a20, a21, a22, a23, a24)
  }

  /// To the left by 1 to 63 bits.
  @inline(__always)
  private static func rotated(_ lane: UInt64, _ count: UInt64) -> UInt64 {
    lane &<< count | lane &>> (64 &- count)
  }

  /// Calls `body` with what ι adds to lane 0 in each round: 24 words.
  @inline(__always)
  static func withRoundConstants(_ body: (UnsafeRawPointer) -> Void) {
    withUnsafeBytes(of: roundConstants) { if let constants = $0.baseAddress { body(constants) } }
  }

  /// What ι adds to lane 0.
  /// - Parameter round: 0 to 23, public.
  @inline(__always)
  private static func roundConstant(_ round: Int) -> UInt64 {
    withUnsafeBytes(of: roundConstants) { $0.load(fromByteOffset: 8 &* round, as: UInt64.self) }
  }
}

/// ι's constants: SIMD values, since an array would be made, and asked for, at run time.
private let roundConstants: (SIMD8<UInt64>, SIMD8<UInt64>, SIMD8<UInt64>) = (
  SIMD8(
    0x1, 0x8082, 0x8000_0000_0000_808a, 0x8000_0000_8000_8000,
    0x808b, 0x8000_0001, 0x8000_0000_8000_8081, 0x8000_0000_0000_8009),
  SIMD8(
    0x8a, 0x88, 0x8000_8009, 0x8000_000a,
    0x8000_808b, 0x8000_0000_0000_008b, 0x8000_0000_0000_8089, 0x8000_0000_0000_8003),
  SIMD8(
    0x8000_0000_0000_8002, 0x8000_0000_0000_0080, 0x800a, 0x8000_0000_8000_000a,
    0x8000_0000_8000_8081, 0x8000_0000_0000_8080, 0x8000_0001, 0x8000_0000_8000_8008)
)
