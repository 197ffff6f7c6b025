internal import PureCryptoIntegers

/// Field operations that each wait for the one before, so that a benchmark can time a single one: field elements
/// themselves don't leave the module.
package enum FieldElementChain {
  /// g · gᶜ mod p for c = `count`, by as many products. The lowest limb of it.
  package static func products(count: Int) -> UInt64 {
    let factor = start
    var product = factor
    for _ in 0..<count { product = product * factor }
    return product.representative.l0
  }

  /// g^(2^c) mod p for c = `count`, by as many squarings. The lowest limb of it.
  package static func squarings(count: Int) -> UInt64 {
    start.squared(times: count).representative.l0
  }

  /// g: any element will do that isn't special.
  private static var start: FieldElement { AffinePoint.base.x }
}
