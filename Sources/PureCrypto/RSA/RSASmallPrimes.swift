internal import PureCryptoIntegers

/// The odd primes below a bound, by which a candidate for a prime is divided before more is done with it.
///
/// A candidate is reduced modulo products of several primes each, four products at a time, since one step of a
/// reduction waits for the step before. A reduced candidate is one word; multiplications tell what divides it.
struct RSASmallPrimes: Sendable {
  /// Of the numbers that no prime below 2¹⁵ divides, one in 38 of 1024 bits is prime, and one in 77 of 2048.
  /// Dividing by them takes a twentieth of the time for 1024 bits, and less for more.
  static let shared = RSASmallPrimes(below: 1 &<< 15)

  /// A product of primes, below 2⁶⁴.
  struct Product: Sendable {
    /// The product.
    var value: UInt64
    /// −value⁻¹ mod 2⁶⁴.
    var negatedInverse: UInt64
    /// Where the first of its primes stands.
    var start: Int
  }

  /// One of the primes.
  struct Prime: Sendable {
    /// The prime.
    let value: UInt64
    /// value⁻¹ mod 2⁶⁴.
    let inverse: UInt64
  }

  /// In ascending order.
  let primes: [Prime]
  /// Their number is a multiple of four. The last ones may be 1, without primes.
  let products: [Product]

  /// - Parameter bound: at least 4.
  init(below bound: Int) {
    // The sieve of Eratosthenes.
    var isComposite = [Bool](repeating: false, count: bound)
    var primes: [Prime] = []
    var products: [Product] = []
    for number in 3..<bound where number & 1 == 1 && !isComposite[number] {
      var multiple = number &* number
      while multiple < bound {
        isComposite[multiple] = true
        multiple &+= 2 &* number
      }
      let prime = UInt64(truncatingIfNeeded: number)
      let product = (products.last?.value ?? .max).multipliedFullWidth(by: prime)
      if product.high == 0 {
        products[products.count &- 1].value = product.low
      } else {
        products.append(Product(value: prime, negatedInverse: 0, start: primes.count))
      }
      primes.append(Prime(value: prime, inverse: MontgomeryModulus.inverse(prime)))
    }
    while products.count & 3 != 0 { products.append(Product(value: 1, negatedInverse: 0, start: primes.count)) }
    for index in products.indices {
      products[index].negatedInverse = 0 &- MontgomeryModulus.inverse(products[index].value)
    }
    self.primes = primes
    self.products = products
  }

  /// Whether one of the primes divides a, for an a above all of them.
  ///
  /// Timing: depends on `count`, and for an a that has such a divisor on which group of primes it is in.
  func divide(_ a: UnsafePointer<UInt64>, count: Int) -> Bool {
    products.withUnsafeBufferPointer { products in
      primes.withUnsafeBufferPointer { primes in
        var index = 0
        while index < products.count {
          // The places after four products: the start of the next one, or the end.
          let end = index &+ 4 < products.count ? products[index &+ 4].start : primes.count
          let isDivided = RSASmallPrimes.divide(
            a, count: count, UnsafeBufferPointer(rebasing: products[index..<(index &+ 4)]), primes, end: end)
          // What is rejected here is thrown away, and says nothing about the candidate that is kept.
          if isDivided.declassified { return true }
          index &+= 4
        }
        return false
      }
    }
  }

  /// Whether one of the primes of four products divides a.
  /// - Parameter end: where the primes of the last product end.
  @inline(__always)
  private static func divide(
    _ a: UnsafePointer<UInt64>, count: Int, _ four: UnsafeBufferPointer<Product>, _ primes: UnsafeBufferPointer<Prime>,
    end: Int
  ) -> Mask {
    // As ``RSAPrimeCandidate/scaledRemainder(_:modulo:count:)``, four times.
    let (first, second, third, fourth) = (four[0], four[1], four[2], four[3])
    var (r0, r1, r2, r3) = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    for index in 0..<count {
      let limb = a[index]
      r0 = reduced(r0, limb, first)
      r1 = reduced(r1, limb, second)
      r2 = reduced(r2, limb, third)
      r3 = reduced(r3, limb, fourth)
    }
    let isUndivided =
      undivided(r0, primes, first.start..<second.start) & undivided(r1, primes, second.start..<third.start)
      & undivided(r2, primes, third.start..<fourth.start) & undivided(r3, primes, fourth.start..<end)
    return ~Mask(bit: isUndivided)
  }

  /// (r + limb + k m) / 2⁶⁴ with the k that makes it an integer, for a product m.
  @inline(__always)
  private static func reduced(_ r: UInt64, _ limb: UInt64, _ product: Product) -> UInt64 {
    let sum = UInt128(r) &+ UInt128(limb)
    let k = UInt64(truncatingIfNeeded: sum) &* product.negatedInverse
    return UInt64(truncatingIfNeeded: (sum &+ UInt128(k) &* UInt128(product.value)) &>> 64)
  }

  /// 1 if none of some primes divides r, else 0.
  ///
  /// r · prime⁻¹ mod 2⁶⁴ is the quotient if there is one, and its product with the prime is r. Otherwise the
  /// product is r plus a multiple of 2⁶⁴, and has a limb above.
  @inline(__always)
  private static func undivided(_ r: UInt64, _ primes: UnsafeBufferPointer<Prime>, _ range: Range<Int>) -> UInt64 {
    var isUndivided: UInt64 = 1
    for index in range {
      let prime = primes[index]
      let above = multiply(r &* prime.inverse, prime.value).high
      isUndivided &= (above | (0 &- above)) &>> 63
    }
    return isUndivided
  }
}
