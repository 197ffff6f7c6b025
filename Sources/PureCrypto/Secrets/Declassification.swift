/// A number that stops being secret, such as the length of a message that is about to be returned.
///
/// For numbers what ``Mask/declassified`` is for decisions, with the same rules: each call has its reason in
/// `Tests/ConstantTime/declassified`.
/// - Parameter bitCount: the number of its lowest bits; all higher ones are zero.
@inline(never) @_optimize(none)
package func declassified(_ number: UInt64, bitCount: UInt64) -> UInt64 {
  var result: UInt64 = 0
  var bit: UInt64 = 0
  while bit < bitCount {
    // The result is made of constants: nothing that follows depends on the secret but by this jump.
    if number &>> bit & 1 != 0 { result |= 1 &<< bit }
    bit &+= 1
  }
  return result
}

/// Bytes that stop being secret, such as the part of a public key that its seed gives.
package func declassified(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
  bytes.map { UInt8(truncatingIfNeeded: declassified(UInt64($0), bitCount: 8)) }
}
