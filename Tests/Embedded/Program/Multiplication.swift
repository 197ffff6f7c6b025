/// The product of two 128-bit integers modulo 2¹²⁸, which the compiler calls where the processor has no such
/// instruction and a hosted program finds in the compiler's runtime library.
///
/// a·b = aₗbₗ + 2⁶⁴(aₗbₕ + aₕbₗ) mod 2¹²⁸, and aₗbₗ from halves of 32 bits. Nothing depends on
/// the values but the result.
@_cdecl("__multi3")
func multiply(
  _ product: UnsafeMutablePointer<UInt64>, _ aLow: UInt64, _ aHigh: UInt64, _ bLow: UInt64, _ bHigh: UInt64
) {
  let mask: UInt64 = 0xffff_ffff
  let (a0, a1, b0, b1) = (aLow & mask, aLow &>> 32, bLow & mask, bLow &>> 32)
  let low = a0 &* b0
  // Each sum is at most (2³² − 1)² + 2(2³² − 1) = 2⁶⁴ − 1.
  let middle = a1 &* b0 &+ (low &>> 32)
  let cross = a0 &* b1 &+ (middle & mask)
  product[0] = (cross &<< 32) | (low & mask)
  product[1] = a1 &* b1 &+ (middle &>> 32) &+ (cross &>> 32) &+ aLow &* bHigh &+ aHigh &* bLow
}
