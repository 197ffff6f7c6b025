/// The parameter sets of ML-KEM that JOSE uses.
///
/// Source: FIPS 203 §8.
public enum MLKEMParameterSet: BitwiseCopyable, Hashable, Sendable {
  /// ML-KEM-768, category 3: public keys of 1184 bytes, ciphertexts of 1088.
  case mlKEM768
  /// ML-KEM-1024, category 5: public keys and ciphertexts of 1568 bytes.
  case mlKEM1024

  /// k: the number of polynomials in a vector, 3 or 4.
  package var rank: Int { self == .mlKEM768 ? 3 : 4 }

  /// d_u: the bits that are left of each coefficient of the ciphertext's vector.
  package var vectorBitCount: Int { self == .mlKEM768 ? 10 : 11 }

  /// d_v: the bits that are left of each coefficient of the ciphertext's last polynomial.
  package var scalarBitCount: Int { self == .mlKEM768 ? 4 : 5 }

  /// d ‖ z.
  package static var seedByteCount: Int { 64 }

  /// The length of a shared secret, of the message that it is made of, and of every seed.
  package static var secretByteCount: Int { 32 }

  /// t̂ in 12 bits for each coefficient, and ρ.
  package var publicKeyByteCount: Int { vectorByteCount &+ 32 }

  /// A vector in 12 bits for each coefficient.
  package var vectorByteCount: Int { rank &* PackedIntegers.byteCount(bitCount: 12) }

  /// u and v.
  package var ciphertextByteCount: Int {
    rank &* PackedIntegers.byteCount(bitCount: vectorBitCount) &+ PackedIntegers.byteCount(bitCount: scalarBitCount)
  }

  /// ŝ ‖ ek ‖ H(ek) ‖ z.
  package var expandedKeyByteCount: Int { vectorByteCount &+ publicKeyByteCount &+ 64 }
}
