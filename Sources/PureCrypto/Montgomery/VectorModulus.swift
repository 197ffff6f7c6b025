#if HARDWARE_KERNELS && arch(x86_64)
  internal import PureCryptoIntegers
  internal import PureCryptoKernelsAVX2
  internal import PureCryptoKernelsAVX512
  internal import PureCryptoKernelsIFMA

  /// One odd integer n, or a pair of them, prepared for products in vector registers: a view of bytes that the caller
  /// keeps alive.
  ///
  /// The form of a is a · R mod n, where R is 2 to the power of the bits of all digits. Forms are below 3n.
  ///
  /// Timing: depends on lengths only, except where a name says so.
  struct VectorModulus {
    typealias Limbs = LimbRun.Limbs
    typealias MutableLimbs = LimbRun.MutableLimbs

    let memory: UnsafeRawPointer
    let shape: VectorShape

    /// Prepares a modulus.
    /// - Parameter moduli: one, or two for a pair, of `count` limbs, each with R² mod n as limbs have it. Addresses
    ///   alone: an array is not wiped, and −n⁻¹ mod 2⁶⁴ tells the lowest limb of a prime.
    /// - Parameter bitCount: 2^(bitCount − 1) is below each of them. Public.
    /// - Parameter memory: room for `shape.byteCount`.
    static func prepare(
      _ moduli: [(limbs: Limbs, radixSquared: Limbs)], count: Int, bitCount: Int, shape: VectorShape,
      memory: UnsafeMutableRawPointer
    ) {
      if shape.isPair, shape.multiplier != .ifma {
        for (index, modulus) in moduli.enumerated() {
          prepare(
            [modulus], count: count, bitCount: bitCount, shape: shape.single,
            memory: memory + index &* shape.single.byteCount)
        }
        return
      }
      let vectors = VectorModulus(memory: memory, shape: shape)
      let byteCount = shape.numberByteCount
      let digitBits = UInt64(truncatingIfNeeded: shape.digitBitCount)
      let factors = memory + 3 &* byteCount
      for (index, (limbs, radixSquared)) in moduli.enumerated() {
        let modulus = MontgomeryModulus(limbs, count: count)
        let lane = index &* shape.laneCount
        func cut(_ limbs: Limbs, to place: Int) {
          vectors.cut(limbs, count: count, lane: lane, to: memory + place &* byteCount)
        }
        cut(modulus.limbs, to: 0)
        cut(radixSquared, to: 2)
        // 1 / B = (n · k + 1) / B mod n with k = −n⁻¹ mod B, where B is 2 to the power of a digit's bits.
        let k = modulus.negatedInverse & (1 &<< digitBits &- 1)
        for position in lane..<(lane &+ shape.laneCount) {
          factors.storeBytes(of: k, toByteOffset: 8 &* position, as: UInt64.self)
        }
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count &+ 1) { room in
          defer { wipe(UnsafeMutableRawBufferPointer(room)) }
          guard let limbs = room.baseAddress else { return }
          room.initialize(repeating: 0)
          limbs[0] = 1
          limbs[count] = LimbRun.addProduct(limbs, modulus.limbs, k, count: count)
          for limb in 0..<count {
            limbs[limb] = limbs[limb] &>> digitBits | limbs[limb &+ 1] &<< (64 &- digitBits)
          }
          cut(limbs, to: 1)
        }
      }
      switch shape.multiplier {
      case .avx2: montgomeryPrepareAVX2(modulus: memory, registerCount: shape.registerCount)
      case .avx512: montgomeryPrepareAVX512(modulus: memory, registerCount: shape.registerCount)
      case .ifma: montgomeryPrepareIFMA(modulus: memory, registerCount: shape.registerCount, isPair: shape.isPair)
      }
      vectors.raiseRadixSquared(memory + 2 &* byteCount, from: 128 &* count, bitCount: bitCount)
    }

    /// r ← R² mod n, for r = 2^exponent mod n: products with itself raise the exponent, and products with powers of
    /// 2 below n reduce it, by `least` or more.
    /// - Parameter exponent: above that of R.
    private func raiseRadixSquared(_ r: UnsafeMutableRawPointer, from exponent: Int, bitCount: Int) {
      let byteCount = shape.numberByteCount
      let radixBitCount = shape.radixBitCount
      var exponent = exponent
      let least = radixBitCount &- bitCount &+ 1
      withUnsafeTemporaryAllocation(byteCount: byteCount &+ shape.roomByteCount, alignment: 64) { bytes in
        defer { wipe(bytes) }
        guard let power = bytes.baseAddress else { return }
        let room = power + byteCount
        while exponent < 2 &* radixBitCount &+ least {
          square(r, times: 1, room)
          exponent = 2 &* exponent &- radixBitCount
        }
        while exponent > 2 &* radixBitCount {
          // All of the rest, or as much as leaves `least` for the next time: least ≤ R's exponent / 2.
          let rest = exponent &- 2 &* radixBitCount
          let reduction = rest <= radixBitCount ? rest : min(radixBitCount, rest &- least)
          let position = radixBitCount &- reduction
          let (digit, bit) = position.quotientAndRemainder(dividingBy: shape.digitBitCount)
          let (lane, row) = digit.quotientAndRemainder(dividingBy: shape.registerCount)
          power.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
          for first in shape.isPair ? [0, 4] : [0] {
            power.storeBytes(
              of: 1 &<< UInt64(truncatingIfNeeded: bit),
              toByteOffset: shape.vectorByteCount &* row &+ 8 &* (first &+ lane), as: UInt64.self)
          }
          multiply(r, r, power, room)
          exponent &-= reduction
        }
      }
    }

    /// r ← a^exponent mod n, neither in Montgomery form.
    /// - Parameter a: below n, as many limbs.
    /// - Parameter exponent: odd, at least 3. Public: the time depends on it.
    /// - Parameter modulus: n.
    ///
    /// Timing: depends on the exponent, not on a.
    func powerVariableTime(_ r: MutableLimbs, _ a: Limbs, exponent: UInt64, modulus: MontgomeryModulus) {
      let byteCount = shape.numberByteCount
      withUnsafeTemporaryAllocation(byteCount: 3 &* byteCount &+ shape.roomByteCount, alignment: 64) { bytes in
        defer { wipe(bytes) }
        guard let integer = bytes.baseAddress else { return }
        let form = integer + byteCount
        let power = form + byteCount
        let room = power + byteCount
        cut(a, count: modulus.count, to: integer)
        multiply(form, integer, memory + 2 &* byteCount, room)
        power.copyMemory(from: form, byteCount: byteCount)
        // As MontgomeryModulus has it, with squarings that follow each other in one call.
        var squarings = 0
        for position in (1..<(63 &- exponent.leadingZeroBitCount)).reversed() {
          squarings &+= 1
          if exponent &>> UInt64(truncatingIfNeeded: position) & 1 != 0 {
            square(power, times: squarings, room)
            multiply(power, power, form, room)
            squarings = 0
          }
        }
        square(power, times: squarings &+ 1, room)
        multiply(power, power, integer, room)
        join(power, to: r, modulus: modulus)
      }
    }

    /// One of a pair: r ← r^exponent mod n.
    struct Power {
      /// Below n, before and after.
      let r: MutableLimbs
      /// As many limbs as n has.
      let exponent: Limbs
      let modulus: MontgomeryModulus
    }

    /// The powers of a pair, neither of them in Montgomery form. All of it is secret.
    func powers(_ first: Power, _ second: Power) {
      if shape.multiplier == .ifma {
        powersTogether(first, second)
      } else {
        VectorModulus(memory: memory, shape: shape.single).power(first)
        VectorModulus(memory: memory + shape.single.byteCount, shape: shape.single).power(second)
      }
    }

    /// One power, of digits of 29 bits.
    private func power(_ power: Power) {
      let byteCount = shape.numberByteCount
      let tableByteCount = montgomeryPowerByteCountAVX2(registerCount: shape.registerCount)
      withUnsafeTemporaryAllocation(byteCount: 2 &* byteCount &+ tableByteCount, alignment: 64) { bytes in
        defer { wipe(bytes) }
        guard let number = bytes.baseAddress else { return }
        let one = number + byteCount
        let room = one + byteCount
        cut(power.r, count: power.modulus.count, to: number)
        multiply(number, number, memory + 2 &* byteCount, room)
        montgomeryPowerAVX2(
          number: number, exponent: power.exponent, exponentCount: power.modulus.count, modulus: memory, room: room,
          registerCount: shape.registerCount)
        one.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        one.storeBytes(of: 1, as: UInt64.self)
        multiply(number, number, one, room)
        join(number, to: power.r, modulus: power.modulus)
      }
    }

    /// The powers of a pair in the same registers, of digits of 52 bits.
    private func powersTogether(_ first: Power, _ second: Power) {
      let byteCount = shape.numberByteCount
      let tableByteCount = montgomeryPowerByteCountIFMA(registerCount: shape.registerCount)
      withUnsafeTemporaryAllocation(byteCount: 2 &* byteCount &+ tableByteCount, alignment: 64) { room in
        defer { wipe(room) }
        guard let number = room.baseAddress else { return }
        let one = number + byteCount
        let count = first.modulus.count
        cut(first.r, count: count, to: number)
        cut(second.r, count: count, lane: 4, to: number)
        multiply(number, number, memory + 2 &* byteCount, one)
        montgomeryPowerIFMA(
          number: number, first: first.exponent, second: second.exponent, exponentCount: count, modulus: memory,
          room: one + byteCount, registerCount: shape.registerCount)
        one.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        one.storeBytes(of: 1, as: UInt64.self)
        one.storeBytes(of: 1, toByteOffset: 32, as: UInt64.self)
        multiply(number, number, one, one + byteCount)
        join(number, to: first.r, modulus: first.modulus)
        join(number, lane: 4, to: second.r, modulus: second.modulus)
      }
    }

    /// - Parameter room: `shape.roomByteCount`.
    private func multiply(
      _ r: UnsafeMutableRawPointer, _ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ room: UnsafeMutableRawPointer
    ) {
      switch shape.multiplier {
      case .avx2:
        montgomeryProductAVX2(
          product: r, a: a, b: b, modulus: memory, room: room, registerCount: shape.registerCount)
      case .avx512:
        montgomeryProductAVX512(product: r, a: a, b: b, modulus: memory, registerCount: shape.registerCount)
      case .ifma:
        montgomeryProductIFMA(
          product: r, a: a, b: b, modulus: memory, registerCount: shape.registerCount, isPair: shape.isPair)
      }
    }

    /// - Parameter room: `shape.roomByteCount`.
    private func square(_ r: UnsafeMutableRawPointer, times: Int, _ room: UnsafeMutableRawPointer) {
      switch shape.multiplier {
      case .avx2:
        montgomerySquareAVX2(
          number: r, times: times, modulus: memory, room: room, registerCount: shape.registerCount)
      case .avx512:
        montgomerySquareAVX512(number: r, times: times, modulus: memory, registerCount: shape.registerCount)
      case .ifma:
        montgomerySquareIFMA(
          number: r, times: times, modulus: memory, registerCount: shape.registerCount, isPair: shape.isPair)
      }
    }

    private func cut(_ limbs: Limbs, count: Int, lane: Int = 0, to number: UnsafeMutableRawPointer) {
      switch shape.multiplier {
      case .avx2:
        montgomeryCutAVX2(limbs: limbs, count: count, digits: number, registerCount: shape.registerCount)
      case .avx512:
        montgomeryCutAVX512(limbs: limbs, count: count, digits: number, registerCount: shape.registerCount)
      case .ifma:
        montgomeryCutIFMA(
          limbs: limbs, count: count, digits: number, registerCount: shape.registerCount, lane: lane,
          laneCount: shape.laneCount)
      }
    }

    /// r ← a mod n, for a below 3n.
    private func join(
      _ number: UnsafeRawPointer, lane: Int = 0, to r: MutableLimbs, modulus: MontgomeryModulus
    ) {
      let count = modulus.count
      // 3n may be one limb longer than n.
      withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 &* count &+ 2) { room in
        defer { wipe(UnsafeMutableRawBufferPointer(room)) }
        guard let limbs = room.baseAddress else { return }
        let n = limbs + (count &+ 1)
        n.update(from: modulus.limbs, count: count)
        n[count] = 0
        switch shape.multiplier {
        case .avx2:
          montgomeryJoinAVX2(digits: number, registerCount: shape.registerCount, limbs: limbs, count: count &+ 1)
        case .avx512:
          montgomeryJoinAVX512(digits: number, registerCount: shape.registerCount, limbs: limbs, count: count &+ 1)
        case .ifma:
          montgomeryJoinIFMA(
            digits: number, registerCount: shape.registerCount, lane: lane, laneCount: shape.laneCount, limbs: limbs,
            count: count &+ 1)
        }
        for _ in 0..<2 { LimbRun.subtractOnce(limbs, high: 0, modulus: n, count: count &+ 1) }
        r.update(from: limbs, count: count)
      }
    }
  }
#endif
