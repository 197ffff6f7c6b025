#if ARM_SHA512_KERNELS && arch(arm64)
  internal import Builtin

  // Keccak-f[1600] on two states at a time, by the SHA-3 instructions of ARMv8.2: EOR3, RAX1, XAR and BCAX, which the
  // compiler makes of the sums, rotations and complements below.

  private typealias Vector = SIMD2<UInt64>

  /// Permutes two states in place, 24 rounds each.
  /// - Parameter states: 400 bytes: word 0 of each state, then word 1, and so on.
  /// - Parameter roundConstants: what ι adds to word 0: 24 words.
  ///
  /// The processor must have the SHA-3 instructions.
  ///
  /// Timing: depends on nothing.
  /// Source: FIPS 202 §3.2, §3.3; Arm Architecture Reference Manual, C7.2, "EOR3", "RAX1", "XAR", "BCAX".
  @export(interface)
  package func keccakPermutePair(states: UnsafeMutableRawPointer, roundConstants: UnsafeRawPointer) {
    var a0 = load(states, 0)
    var a1 = load(states, 1)
    var a2 = load(states, 2)
    var a3 = load(states, 3)
    var a4 = load(states, 4)
    var a5 = load(states, 5)
    var a6 = load(states, 6)
    var a7 = load(states, 7)
    var a8 = load(states, 8)
    var a9 = load(states, 9)
    var a10 = load(states, 10)
    var a11 = load(states, 11)
    var a12 = load(states, 12)
    var a13 = load(states, 13)
    var a14 = load(states, 14)
    var a15 = load(states, 15)
    var a16 = load(states, 16)
    var a17 = load(states, 17)
    var a18 = load(states, 18)
    var a19 = load(states, 19)
    var a20 = load(states, 20)
    var a21 = load(states, 21)
    var a22 = load(states, 22)
    var a23 = load(states, 23)
    var a24 = load(states, 24)
    for round in 0..<24 {
      // θ
      let c0 = sum(sum(sum(a0, a5), sum(a10, a15)), a20)
      let c1 = sum(sum(sum(a1, a6), sum(a11, a16)), a21)
      let c2 = sum(sum(sum(a2, a7), sum(a12, a17)), a22)
      let c3 = sum(sum(sum(a3, a8), sum(a13, a18)), a23)
      let c4 = sum(sum(sum(a4, a9), sum(a14, a19)), a24)
      let d0 = sum(c4, rotated(c1, 1))
      let d1 = sum(c0, rotated(c2, 1))
      let d2 = sum(c1, rotated(c3, 1))
      let d3 = sum(c2, rotated(c4, 1))
      let d4 = sum(c3, rotated(c0, 1))
      // ρ and π
      let b0 = sum(a0, d0)
      let b1 = rotated(sum(a6, d1), 44)
      let b2 = rotated(sum(a12, d2), 43)
      let b3 = rotated(sum(a18, d3), 21)
      let b4 = rotated(sum(a24, d4), 14)
      let b5 = rotated(sum(a3, d3), 28)
      let b6 = rotated(sum(a9, d4), 20)
      let b7 = rotated(sum(a10, d0), 3)
      let b8 = rotated(sum(a16, d1), 45)
      let b9 = rotated(sum(a22, d2), 61)
      let b10 = rotated(sum(a1, d1), 1)
      let b11 = rotated(sum(a7, d2), 6)
      let b12 = rotated(sum(a13, d3), 25)
      let b13 = rotated(sum(a19, d4), 8)
      let b14 = rotated(sum(a20, d0), 18)
      let b15 = rotated(sum(a4, d4), 27)
      let b16 = rotated(sum(a5, d0), 36)
      let b17 = rotated(sum(a11, d1), 10)
      let b18 = rotated(sum(a17, d2), 15)
      let b19 = rotated(sum(a23, d3), 56)
      let b20 = rotated(sum(a2, d2), 62)
      let b21 = rotated(sum(a8, d3), 55)
      let b22 = rotated(sum(a14, d4), 39)
      let b23 = rotated(sum(a15, d0), 41)
      let b24 = rotated(sum(a21, d1), 2)
      // χ and ι
      let constant = Vector(repeating: roundConstants.loadUnaligned(fromByteOffset: 8 &* round, as: UInt64.self))
      a0 = sum(chi(b0, b1, b2), constant)
      a1 = chi(b1, b2, b3)
      a2 = chi(b2, b3, b4)
      a3 = chi(b3, b4, b0)
      a4 = chi(b4, b0, b1)
      a5 = chi(b5, b6, b7)
      a6 = chi(b6, b7, b8)
      a7 = chi(b7, b8, b9)
      a8 = chi(b8, b9, b5)
      a9 = chi(b9, b5, b6)
      a10 = chi(b10, b11, b12)
      a11 = chi(b11, b12, b13)
      a12 = chi(b12, b13, b14)
      a13 = chi(b13, b14, b10)
      a14 = chi(b14, b10, b11)
      a15 = chi(b15, b16, b17)
      a16 = chi(b16, b17, b18)
      a17 = chi(b17, b18, b19)
      a18 = chi(b18, b19, b15)
      a19 = chi(b19, b15, b16)
      a20 = chi(b20, b21, b22)
      a21 = chi(b21, b22, b23)
      a22 = chi(b22, b23, b24)
      a23 = chi(b23, b24, b20)
      a24 = chi(b24, b20, b21)
    }
    store(a0, states, 0)
    store(a1, states, 1)
    store(a2, states, 2)
    store(a3, states, 3)
    store(a4, states, 4)
    store(a5, states, 5)
    store(a6, states, 6)
    store(a7, states, 7)
    store(a8, states, 8)
    store(a9, states, 9)
    store(a10, states, 10)
    store(a11, states, 11)
    store(a12, states, 12)
    store(a13, states, 13)
    store(a14, states, 14)
    store(a15, states, 15)
    store(a16, states, 16)
    store(a17, states, 17)
    store(a18, states, 18)
    store(a19, states, 19)
    store(a20, states, 20)
    store(a21, states, 21)
    store(a22, states, 22)
    store(a23, states, 23)
    store(a24, states, 24)
  }

  @inline(__always)
  private func load(_ states: UnsafeMutableRawPointer, _ word: Int) -> Vector {
    states.loadUnaligned(fromByteOffset: 16 &* word, as: Vector.self)
  }

  @inline(__always)
  private func store(_ vector: Vector, _ states: UnsafeMutableRawPointer, _ word: Int) {
    states.storeBytes(of: vector, toByteOffset: 16 &* word, as: Vector.self)
  }

  @inline(__always)
  private func sum(_ x: Vector, _ y: Vector) -> Vector {
    var result = x
    result._storage._value = Builtin.xor_Vec2xInt64(x._storage._value, y._storage._value)
    return result
  }

  /// To the left by 1 to 63 bits.
  @inline(__always)
  private func rotated(_ x: Vector, _ count: UInt64) -> Vector {
    var result = x
    result._storage._value = Builtin.or_Vec2xInt64(
      Builtin.shl_Vec2xInt64(x._storage._value, Vector(repeating: count)._storage._value),
      Builtin.lshr_Vec2xInt64(x._storage._value, Vector(repeating: 64 &- count)._storage._value))
    return result
  }

  /// x + (1 + y) z.
  @inline(__always)
  private func chi(_ x: Vector, _ y: Vector, _ z: Vector) -> Vector {
    var result = x
    result._storage._value = Builtin.xor_Vec2xInt64(
      x._storage._value,
      Builtin.and_Vec2xInt64(sum(y, Vector(repeating: ~0))._storage._value, z._storage._value))
    return result
  }
#endif
