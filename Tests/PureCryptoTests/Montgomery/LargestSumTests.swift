#if HARDWARE_KERNELS && arch(x86_64)
  import PureCryptoKernelsAVX2
  import Testing

  @testable import PureCrypto

  /// Products of digits of 29 bits whose sums don't fit into 64 bits unless something is carried on between.
  @Suite("Largest sums of products of digits", .enabled(if: Backend.available.contains(.avx2)))
  struct LargestSumTests {
    fileprivate static let mask: UInt64 = 0x1fff_ffff

    /// A product as the kernel computes it, in digits without more than 29 bits.
    private struct Product {
      let a: [UInt64]
      let inverse: [UInt64]
      var b: [UInt64] = []
      /// Below B after each step, but for the highest.
      var sum: [UInt64]
      /// What each place would have without a carry.
      var columns: [UInt128]

      init(a: [UInt64], inverse: [UInt64]) {
        self.a = a
        self.inverse = inverse
        sum = [UInt64](repeating: 0, count: a.count + 1)
        columns = [UInt128](repeating: 0, count: 2 * a.count)
      }

      /// sum ← sum / B + q · B⁻¹ mod n + a · digit, where q is the lowest digit of the sum.
      mutating func add(_ digit: UInt64) {
        let taken = sum[0]
        var carry: UInt64 = 0
        for place in 0..<a.count {
          let products = taken * inverse[place] + a[place] * digit
          columns[b.count + place] += UInt128(products)
          let total = sum[place + 1] + products + carry
          sum[place] = total & LargestSumTests.mask
          carry = total >> 29
        }
        sum[a.count] = carry
        b.append(digit)
      }

      /// sum ← (sum + q · n) / B
      mutating func finish(_ n: [UInt64], negatedInverse k: UInt64) {
        let multiple = sum[0] * k & LargestSumTests.mask
        var carry: UInt64 = 0
        for place in 0...a.count {
          let total = sum[place] + (place < a.count ? multiple * n[place] : 0) + carry
          if place > 0 { sum[place - 1] = total & LargestSumTests.mask }
          carry = total >> 29
        }
        sum[a.count] = carry
      }
    }

    @Test("products of the largest digits and quotients", arguments: [9, 14, 18, 28, 36])
    func products(registerCount: Int) {
      let count = montgomeryDigitCountAVX2(registerCount: registerCount)
      let top: UInt64 = 0x1ff_ffff
      // n = B^count / 16 − B + 1. Since n = 1 mod B, −n⁻¹ is B − 1, and B⁻¹ mod n is ((B − 1) n + 1) / B.
      var n = [UInt64](repeating: Self.mask, count: count)
      (n[0], n[count - 1]) = (1, top)
      var inverse: [UInt64] = []
      var carry: UInt64 = 1
      for digit in n {
        let total = digit * Self.mask + carry
        inverse.append(total & Self.mask)
        carry = total >> 29
      }
      inverse = inverse.dropFirst() + [carry]
      var a = n
      (a[0], a[1]) = (12_345, Self.mask - 1)
      var product = Product(a: a, inverse: inverse)
      for place in 0..<count {
        // The largest digit of b that makes the next quotient digit a large one too.
        let candidates = stride(from: place == count - 1 ? top : Self.mask, to: 0, by: -1)
        let digit = candidates.first { digit in
          (product.sum[1] + product.sum[0] * inverse[0] + a[0] * digit) & Self.mask > Self.mask / 64 * 63
        }
        product.add(digit ?? 0)
      }
      #expect(product.columns.contains { $0 >> 64 != 0 })
      product.finish(n, negatedInverse: Self.mask)

      let byteCount = 32 * registerCount
      func laidOut(_ digits: [UInt64], at memory: UnsafeMutableRawPointer) {
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        for (place, digit) in digits.enumerated() {
          let (lane, row) = place.quotientAndRemainder(dividingBy: registerCount)
          memory.storeBytes(of: digit, toByteOffset: 32 * row + 8 * lane, as: UInt64.self)
        }
      }
      let modulusByteCount = montgomeryModulusByteCountAVX2(registerCount: registerCount)
      let roomByteCount = montgomeryRoomByteCountAVX2(registerCount: registerCount)
      let limbCount = (29 * count + 63) / 64
      var limbs = [UInt64](repeating: 7, count: limbCount)
      var expected = limbs
      withUnsafeTemporaryAllocation(byteCount: modulusByteCount + 2 * byteCount + roomByteCount, alignment: 64) {
        let modulus = $0.baseAddress!
        let first = modulus + modulusByteCount
        let second = first + byteCount
        laidOut(n, at: modulus)
        laidOut(inverse, at: modulus + byteCount)
        for lane in 0..<4 {
          modulus.storeBytes(of: Self.mask, toByteOffset: 3 * byteCount + 8 * lane, as: UInt64.self)
        }
        montgomeryPrepareAVX2(modulus: modulus, registerCount: registerCount)
        laidOut(a, at: first)
        laidOut(product.b, at: second)
        montgomeryProductAVX2(
          product: first, a: first, b: second, modulus: modulus, room: second + byteCount,
          registerCount: registerCount)
        montgomeryJoinAVX2(digits: first, registerCount: registerCount, limbs: &limbs, count: limbCount)
        laidOut(Array(product.sum.dropLast()), at: second)
        montgomeryJoinAVX2(digits: second, registerCount: registerCount, limbs: &expected, count: limbCount)
      }
      #expect(limbs == expected)
    }
  }
#endif
