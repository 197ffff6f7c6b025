/// What an AlgorithmIdentifier says of a key: its algorithm, and the curve or parameter set where there is a choice.
package enum KeyAlgorithm: Hashable, Sendable {
  case ec(NamedCurve)
  case rsa
  case ed25519
  case x25519
  case mlDSA(MLDSAParameterSet)
  case mlKEM(MLKEMParameterSet)
}

extension DERReader {
  /// Reads AlgorithmIdentifier ::= SEQUENCE { algorithm OBJECT IDENTIFIER, parameters ANY DEFINED BY algorithm OPTIONAL
  /// }.
  /// - Parameter expected: the only algorithm that is of use, or `nil` for any.
  /// - Throws: `.unsupportedKey` for another algorithm or curve, `.malformedDER`.
  mutating func readKeyAlgorithm(_ expected: KeyAlgorithm? = nil) throws(CryptoError) -> KeyAlgorithm {
    var identifier = try read(.sequence)
    let name = try identifier.read(.objectIdentifier).bytes
    let algorithm: KeyAlgorithm
    if DERObjectIdentifier.ecPublicKey.hasContents(name) {
      algorithm = .ec(try identifier.readNamedCurve())
    } else if DERObjectIdentifier.rsaEncryption.hasContents(name) {
      algorithm = .rsa
    } else if DERObjectIdentifier.ed25519.hasContents(name) {
      algorithm = .ed25519
    } else if DERObjectIdentifier.x25519.hasContents(name) {
      algorithm = .x25519
    } else if let parameterSet = MLDSAParameterSet(objectIdentifier: name) {
      algorithm = .mlDSA(parameterSet)
    } else if let parameterSet = MLKEMParameterSet(objectIdentifier: name) {
      algorithm = .mlKEM(parameterSet)
    } else if DERObjectIdentifier.rsassaPSS.hasContents(name) {
      throw CryptoError(.unsupportedKey, "a key of id-RSASSA-PSS, which restricts its own use, is not supported")
    } else {
      throw CryptoError(.unsupportedKey, "the key's algorithm is not supported")
    }
    guard expected == nil || expected == algorithm else {
      throw CryptoError(.unsupportedKey, "the key has another algorithm or curve")
    }
    // RSA's parameters are NULL (RFC 3279 §2.3.1), those of Curve25519 (RFC 8410 §3), ML-DSA (RFC 9881 §2) and
    // ML-KEM (RFC 9935 §3) are absent.
    if algorithm == .rsa { try identifier.read(.null).finish() }
    try identifier.finish()
    return algorithm
  }

  /// Reads ECParameters; only namedCurve is allowed: parameters written out would let a stranger choose the base point.
  ///
  /// Source: RFC 5480 §2.1.1.
  mutating func readNamedCurve() throws(CryptoError) -> NamedCurve {
    guard isNext(.objectIdentifier) else {
      throw CryptoError(.unsupportedKey, "the curve is not given by name")
    }
    let name = try read(.objectIdentifier).bytes
    guard let curve = NamedCurve.allCases.first(where: { $0.objectIdentifier.hasContents(name) }) else {
      throw CryptoError(.unsupportedKey, "the curve is not supported")
    }
    return curve
  }
}

extension DERWriter {
  /// Writes the AlgorithmIdentifier of SPKI and PKCS#8 (RFC 5280 §4.1.1.2).
  mutating func algorithmIdentifier(_ algorithm: KeyAlgorithm) {
    constructed(.sequence) { identifier in
      switch algorithm {
      case .ec(let curve):
        identifier.objectIdentifier(.ecPublicKey)
        identifier.objectIdentifier(curve.objectIdentifier)
      case .rsa:
        identifier.objectIdentifier(.rsaEncryption)
        identifier.primitive(.null, [])
      case .ed25519: identifier.objectIdentifier(.ed25519)
      case .x25519: identifier.objectIdentifier(.x25519)
      case .mlDSA(let parameterSet): identifier.objectIdentifier(parameterSet.objectIdentifier)
      case .mlKEM(let parameterSet): identifier.objectIdentifier(parameterSet.objectIdentifier)
      }
    }
  }
}
