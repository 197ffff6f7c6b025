/// The parameter sets of ML-DSA.
///
/// Source: FIPS 204 §4.
public enum MLDSAParameterSet: BitwiseCopyable, Hashable, Sendable {
  /// ML-DSA-44, category 2: public keys of 1312 bytes, signatures of 2420.
  case mlDSA44
  /// ML-DSA-65, category 3: public keys of 1952 bytes, signatures of 3309.
  case mlDSA65
  /// ML-DSA-87, category 5: public keys of 2592 bytes, signatures of 4627.
  case mlDSA87

  /// All of them.
  package static let all: [MLDSAParameterSet] = [.mlDSA44, .mlDSA65, .mlDSA87]

  /// k: the rows of the matrix.
  package var rowCount: Int { pick(4, 6, 8) }
  /// ℓ: its columns.
  package var columnCount: Int { pick(4, 5, 7) }
  /// η: the bound of the private coefficients.
  var eta: Int { pick(2, 4, 2) }
  /// The bits of η − s.
  var etaBitCount: Int { pick(3, 4, 3) }
  /// τ: how many coefficients of a challenge are not 0.
  var challengeWeight: Int { pick(39, 49, 60) }
  /// β = τ η: how far c s can move a coefficient.
  var beta: Int32 { Int32(truncatingIfNeeded: challengeWeight &* eta) }
  /// The bits of γ₁ − z: γ₁ is 2¹⁷ or 2¹⁹.
  var maskBitCount: Int { pick(18, 20, 20) }
  /// γ₁: the bound of the coefficients that hide c s₁.
  var gamma1: Int32 { 1 &<< Int32(truncatingIfNeeded: maskBitCount &- 1) }
  /// How coefficients are rounded: to multiples of 2 γ₂.
  var rounding: MLDSARounding { self == .mlDSA44 ? .of88 : .of32 }
  /// ω: how many hints a signature may have.
  var maximumHintCount: Int { pick(80, 55, 75) }
  /// λ / 4: the length of a commitment's hash.
  var commitmentByteCount: Int { pick(32, 48, 64) }

  /// ξ.
  package static var seedByteCount: Int { 32 }
  /// µ, tr.
  package static var digestByteCount: Int { 64 }

  /// ρ and t₁ in ten bits for each coefficient.
  package var publicKeyByteCount: Int { 32 &+ rowCount &* PackedIntegers.byteCount(bitCount: 10) }

  /// The response z.
  var responseByteCount: Int { columnCount &* PackedIntegers.byteCount(bitCount: maskBitCount) }

  /// c̃, z and the hints.
  package var signatureByteCount: Int { commitmentByteCount &+ responseByteCount &+ maximumHintCount &+ rowCount }

  @inline(__always)
  private func pick(_ of44: Int, _ of65: Int, _ of87: Int) -> Int {
    switch self {
    case .mlDSA44: of44
    case .mlDSA65: of65
    case .mlDSA87: of87
    }
  }
}

/// How a coefficient r is split: r = r₁ · 2 γ₂ + r₀ mod q, |r₀| ≤ γ₂.
enum MLDSARounding: BitwiseCopyable, Sendable {
  /// γ₂ = (q − 1) / 88: r₁ is 0 to 43.
  case of88
  /// γ₂ = (q − 1) / 32: r₁ is 0 to 15.
  case of32

  var gamma2: Int32 { self == .of88 ? 95_232 : 261_888 }
  /// The bits of r₁.
  var highBitCount: Int { self == .of88 ? 6 : 4 }
}
