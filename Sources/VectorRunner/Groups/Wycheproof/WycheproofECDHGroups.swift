import JOSE
import PureCrypto

/// Wycheproof's key agreement with public keys as X.509 structures.
struct WycheproofECDHGroup: VectorGroup {
  private let curve: any EllipticCurvePrivateKey.Type

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    curve = try group.curve()
    guard try group.string("encoding") == "asn" else { throw .malformed("the encoding is another one") }
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict { try judge(test, curve) }

  private func judge<Key: EllipticCurvePrivateKey>(
    _ test: MemberReader, _ curve: Key.Type
  ) throws(VectorFault) -> Verdict {
    let encoded = try test.octets("public")
    return try test.judgeAgreement(of: curve) { () throws(CryptoError) in
      try Key.PublicKey(derRepresentation: encoded)
    }
  }
}

/// Wycheproof's key agreement with public keys as encoded points.
struct WycheproofECDHPointGroup: VectorGroup {
  private let curve: any EllipticCurvePrivateKey.Type

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    curve = try group.curve()
    guard try group.string("encoding") == "ecpoint" else { throw .malformed("the encoding is another one") }
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict { try judge(test, curve) }

  private func judge<Key: EllipticCurvePrivateKey>(
    _ test: MemberReader, _ curve: Key.Type
  ) throws(VectorFault) -> Verdict {
    let encoded = try test.octets("public")
    return try test.judgeAgreement(of: curve) { () throws(CryptoError) in
      // The length tells which form it claims to be, as it does in X.509.
      encoded.count == 1 + Key.PublicKey.coordinateByteCount
        ? try Key.PublicKey(compressedRepresentation: encoded) : try Key.PublicKey(x963Representation: encoded)
    }
  }
}

extension MemberReader {
  /// Agrees on a secret between the scalar `private` and a public key, and compares it with `shared`.
  fileprivate func judgeAgreement<Key: EllipticCurvePrivateKey>(
    of curve: Key.Type, with publicKey: () throws(CryptoError) -> Key.PublicKey
  ) throws(VectorFault) -> Verdict {
    let scalar = try octets("private").asInteger(byteCount: Key.PublicKey.coordinateByteCount)
    let shared = try octets("shared")
    return verdict { () throws(CryptoError) in
      let peer = try publicKey()
      guard let scalar else { throw CryptoError(.invalidPrivateKey, "d is longer than the order") }
      let secret = try Key(rawRepresentation: scalar).sharedSecret(with: peer)
      return .accepted(if: secret.octets == shared, otherwise: "the secret differs")
    }
  }
}
