/// A public key of any algorithm.
package indirect enum PublicKey: Sendable, Hashable {
  case ec(AnyECPublicKey)
  case rsa(AnyRSAPublicKey)
  case ed25519(Ed25519PublicKey)
  case x25519(X25519PublicKey)
  case mlDSA(MLDSAVerificationKey)
  case lattice(LatticeKEMPublicKey)

  /// Reads a SubjectPublicKeyInfo.
  /// - Parameter bytes: strict DER, nothing after it.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for an algorithm or curve that is not supported, `.invalidPublicKey`,
  ///   `.invalidKeyLength` for an RSA key.
  package init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try PublicKey(PublicKeyFile(spki: bytes)) }
  }

  init(_ file: PublicKeyFile) throws(CryptoError) {
    switch file.algorithm {
    case .ec(let curve): self = .ec(try AnyECPublicKey(curve, encodedPoint: file.key))
    case .rsa: self = .rsa(try AnyRSAPublicKey(pkcs1: file.key))
    case .ed25519: self = .ed25519(try Ed25519PublicKey(raw: file.key))
    case .x25519: self = .x25519(try X25519PublicKey(raw: file.key))
    case .mlDSA(let parameterSet): self = .mlDSA(try MLDSAVerificationKey(parameterSet, raw: file.key))
    case .mlKEM(let parameterSet): self = .lattice(LatticeKEMPublicKey(try MLKEMPublicKey(parameterSet, raw: file.key)))
    }
  }

  /// SubjectPublicKeyInfo in DER, or nil for a hybrid of ML-KEM and a curve, which has no such form.
  package var derRepresentation: [UInt8]? {
    switch self {
    case .ec(let key): key.derRepresentation
    case .rsa(let key): key.derRepresentation
    case .ed25519(let key): key.derRepresentation
    case .x25519(let key): key.derRepresentation
    case .mlDSA(let key): key.derRepresentation
    case .lattice(let key): key.derRepresentation
    }
  }

  /// A `PUBLIC KEY` block, or nil as for ``derRepresentation``.
  package var pemRepresentation: String? { derRepresentation.map(PublicKeyFile.pem) }
}
