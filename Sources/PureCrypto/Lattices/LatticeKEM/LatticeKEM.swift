/// The KEMs of HPKE that are made of ML-KEM: alone, or beside a curve, so that the shared secret stays secret while
/// either of the two is unbroken. The raw value is the number in HPKE's registry.
///
/// A private key is a seed: of ML-KEM alone its own, 64 bytes, else 32, which SHAKE256 expands to the seeds of both
/// parts. Public keys and ciphertexts are those of ML-KEM, then a point.
/// Source: draft-ietf-hpke-pq-05, draft-irtf-cfrg-concrete-hybrid-kems-04, which may change.
package enum LatticeKEM: UInt16, CaseIterable, Hashable, Sendable {
  case mlKEM768 = 0x0041
  case mlKEM1024 = 0x0042
  case mlKEM768P256 = 0x0050
  case mlKEM1024P384 = 0x0051
  /// X-Wing.
  case mlKEM768X25519 = 0x647a

  /// That of the part that is ML-KEM.
  package var parameterSet: MLKEMParameterSet {
    switch self {
    case .mlKEM768, .mlKEM768P256, .mlKEM768X25519: .mlKEM768
    case .mlKEM1024, .mlKEM1024P384: .mlKEM1024
    }
  }

  /// The curve of the other part, if there is one, and what the secret is bound to.
  var hybrid: (curve: HybridCurve, label: String)? {
    switch self {
    case .mlKEM768, .mlKEM1024: nil
    case .mlKEM768P256: (.p256, "MLKEM768-P256")
    case .mlKEM1024P384: (.p384, "MLKEM1024-P384")
    case .mlKEM768X25519: (.x25519, #"\.//^\"#)
    }
  }

  private var pointByteCount: Int { hybrid?.curve.pointByteCount ?? 0 }

  /// Nsk.
  package var seedByteCount: Int { hybrid == nil ? MLKEMParameterSet.seedByteCount : 32 }

  /// Npk.
  package var publicKeyByteCount: Int { parameterSet.publicKeyByteCount &+ pointByteCount }

  /// Nenc.
  package var ciphertextByteCount: Int { parameterSet.ciphertextByteCount &+ pointByteCount }

  /// The length of what an encapsulation takes: m of ML-KEM, then what makes a private key of the curve.
  package var randomnessByteCount: Int {
    MLKEMParameterSet.secretByteCount &+ (hybrid?.curve.seedByteCount ?? 0)
  }
}
