extension MontgomeryModulus {
  /// a^x mod n for arrays of limbs, least significant first: for traces and tests of ``power(_:_:exponent:exponentCount:radixSquared:)``.
  /// - Parameter base: a, below n, as many limbs as n has. Secret.
  /// - Parameter exponent: x. Secret.
  /// - Parameter modulus: n, odd, its highest bit set. Public.
  ///
  /// Timing: depends on the numbers of limbs, and on the modulus.
  package static func power(_ base: [UInt64], _ exponent: [UInt64], modulus: [UInt64]) -> [UInt64] {
    let count = modulus.count
    var result = [UInt64](repeating: 0, count: count)
    var room = [UInt64](repeating: 0, count: 4 &* count)
    modulus.withUnsafeBufferPointer { limbs in
      result.withUnsafeMutableBufferPointer { result in
        room.withUnsafeMutableBufferPointer { room in
          base.withUnsafeBufferPointer { base in
            exponent.withUnsafeBufferPointer { exponents in
              guard let limbs = limbs.baseAddress, let r = result.baseAddress, let product = room.baseAddress,
                let a = base.baseAddress, let x = exponents.baseAddress
              else { return }
              let modulus = MontgomeryModulus(limbs, count: count)
              let radixSquared = product + 2 &* count
              let form = radixSquared + count
              modulus.radixSquared(radixSquared, bitCount: 64 &* count, product)
              modulus.multiply(form, a, radixSquared, product)
              modulus.power(r, form, exponent: x, exponentCount: exponent.count, radixSquared: radixSquared)
              modulus.integer(r, of: r, product)
            }
          }
        }
      }
    }
    return result
  }
}
