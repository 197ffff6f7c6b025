/// The form of an ECDSA signature in which s is at most half of the order n.
///
/// (r, s) and (r, n − s) are both valid. JOSE takes either, but wallets and ledgers that use secp256k1 take the lower
/// s alone, so that a signature can't be changed into another valid one.
enum LowS {
  /// n of secp256k1, most significant octet first (SEC 2 §2.4.1).
  private static let order: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE, 0xBA, 0xAE, 0xDC,
    0xE6, 0xAF, 0x48, 0xA0, 0x3B, 0xBF, 0xD2, 0x5E, 0x8C, 0xD0, 0x36, 0x41, 0x41,
  ]

  /// r ‖ s with min(s, n − s) for s. Anything but 64 octets stays as it is.
  ///
  /// Timing: depends on the signature, which is public.
  static func form(ofSignatureVariableTime signature: [UInt8]) -> [UInt8] {
    guard signature.count == 64 else { return signature }
    let (r, s) = (signature[..<32], signature[32...])
    // n − s, octet by octet from the least significant: a difference below 0 borrows 1 from the next.
    var negated = [UInt8](repeating: 0, count: 32)
    var borrow = 0
    for (place, octet) in zip(negated.indices, s).reversed() {
      let difference = Int(order[place]) - Int(octet) - borrow
      negated[place] = UInt8(truncatingIfNeeded: difference)
      borrow = difference < 0 ? 1 : 0
    }
    return negated.lexicographicallyPrecedes(s) && borrow == 0 ? r + negated : signature
  }
}
