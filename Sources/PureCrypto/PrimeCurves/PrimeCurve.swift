/// A curve y² = x³ − 3x + b over a prime field, with a prime number n of points: what sets P-384 and P-521 apart.
///
/// All arithmetic is written once, for any such curve, and specialised by the compiler for each.
/// Source: SP 800-186 §3.2.1.
protocol PrimeCurve: Sendable {
  /// Integers mod p, over which the curve is defined.
  associatedtype Field: PrimeModulus
  /// Integers mod n, the order of the base point and of the curve. n < p.
  associatedtype Order: PrimeModulus where Order.Integer == Field.Integer
  /// The function whose digests are signed, and that makes nonces.
  associatedtype HashFunction: SHA2Function

  /// b.
  static var b: Residue<Field> { get }
  /// G, the base point.
  static var base: CurvePoint<Self> { get }
  /// p − n.
  static var excess: Field.Integer { get }
  /// The curve's name in DER.
  static var objectIdentifier: DERObjectIdentifier { get }

  /// Multiples of G for secret scalars, computed when first used and kept.
  static var baseMultiples: BaseMultiples<Self> { get }
  /// Odd multiples of G for public scalars, computed when first used and kept.
  static var oddBaseMultiples: [CurvePoint<Self>] { get }
}

extension PrimeCurve {
  typealias Integer = Field.Integer
  typealias Scalar = Residue<Order>

  /// The length of a coordinate, of a scalar, and of r and s. p and n have the same number of bits.
  static var byteCount: Int { Field.byteCount }
}
