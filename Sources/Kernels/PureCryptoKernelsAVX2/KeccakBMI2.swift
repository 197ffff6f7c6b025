#if HARDWARE_KERNELS && arch(x86_64)
  // Keccak-f[1600] on one state in words. Rotations are RORX and χ has ANDN, and neither overwrites an operand, so
  // that there are fewer moves between registers and memory.

  /// Permutes a state in place, 24 rounds.
  /// - Parameter lanes: 25 words.
  /// - Parameter roundConstants: what ι adds to lane 0: 24 words.
  ///
  /// The processor must have BMI1 and BMI2.
  ///
  /// Timing: depends on nothing.
  /// Source: FIPS 202 §3.2, §3.3.
  package func keccakPermuteBMI2(lanes: UnsafeMutablePointer<UInt64>, roundConstants: UnsafeRawPointer) {
    var state = Lanes(lanes)
    // Two rounds at a time: half as many lanes change places for the next ones.
    for pair in 0..<12 {
      state.round(roundConstants.loadUnaligned(fromByteOffset: 16 &* pair, as: UInt64.self))
      state.round(roundConstants.loadUnaligned(fromByteOffset: 16 &* pair &+ 8, as: UInt64.self))
    }
    state.store(to: lanes)
  }

  private struct Lanes {
    var a0, a1, a2, a3, a4: UInt64
    var a5, a6, a7, a8, a9: UInt64
    var a10, a11, a12, a13, a14: UInt64
    var a15, a16, a17, a18, a19: UInt64
    var a20, a21, a22, a23, a24: UInt64

    @inline(__always)
    init(_ lanes: UnsafeMutablePointer<UInt64>) {
      (a0, a1, a2, a3, a4) = (lanes[0], lanes[1], lanes[2], lanes[3], lanes[4])
      (a5, a6, a7, a8, a9) = (lanes[5], lanes[6], lanes[7], lanes[8], lanes[9])
      (a10, a11, a12, a13, a14) = (lanes[10], lanes[11], lanes[12], lanes[13], lanes[14])
      (a15, a16, a17, a18, a19) = (lanes[15], lanes[16], lanes[17], lanes[18], lanes[19])
      (a20, a21, a22, a23, a24) = (lanes[20], lanes[21], lanes[22], lanes[23], lanes[24])
    }

    @inline(__always)
    func store(to lanes: UnsafeMutablePointer<UInt64>) {
      (lanes[0], lanes[1], lanes[2], lanes[3], lanes[4]) = (a0, a1, a2, a3, a4)
      (lanes[5], lanes[6], lanes[7], lanes[8], lanes[9]) = (a5, a6, a7, a8, a9)
      (lanes[10], lanes[11], lanes[12], lanes[13], lanes[14]) = (a10, a11, a12, a13, a14)
      (lanes[15], lanes[16], lanes[17], lanes[18], lanes[19]) = (a15, a16, a17, a18, a19)
      (lanes[20], lanes[21], lanes[22], lanes[23], lanes[24]) = (a20, a21, a22, a23, a24)
    }

    @inline(__always)
    mutating func round(_ roundConstant: UInt64) {
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
      a0 = b0 ^ ~b1 & b2 ^ roundConstant
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
  }

  /// To the left by 1 to 63 bits.
  @inline(__always)
  private func rotated(_ lane: UInt64, _ count: UInt64) -> UInt64 { lane &<< count | lane &>> (64 &- count) }
#endif
