import JOSE
import PureCrypto

/// Wycheproof's key agreement with public keys as X.509 structures.
struct WycheproofECDHGroup: CurveGroup {
  let curve: any EllipticCurve.Type

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    curve = try group.curve()
    guard try group.string("encoding") == "asn" else { throw .malformed("the encoding is another one") }
  }

  func judge<Curve: EllipticCurve>(
    _ test: MemberReader, _ curve: Curve.Type
  ) throws(VectorFault) -> Verdict {
    let encoded = try test.octets("public")
    return try test.judgeAgreement(of: curve) { () throws(CryptoError) in
      try ECPublicKey<Curve>(derRepresentation: encoded)
    }
  }
}

/// Wycheproof's key agreement with public keys as encoded points.
struct WycheproofECDHPointGroup: CurveGroup {
  let curve: any EllipticCurve.Type

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    curve = try group.curve()
    guard try group.string("encoding") == "ecpoint" else { throw .malformed("the encoding is another one") }
  }

  func judge<Curve: EllipticCurve>(
    _ test: MemberReader, _ curve: Curve.Type
  ) throws(VectorFault) -> Verdict {
    let encoded = try test.octets("public")
    return try test.judgeAgreement(of: curve) { () throws(CryptoError) in
      // The length tells which form it claims to be, as it does in X.509.
      encoded.count == 1 + Curve.namedCurve.coordinateByteCount
        ? try ECPublicKey<Curve>(compressedRepresentation: encoded)
        : try ECPublicKey<Curve>(x963Representation: encoded)
    }
  }
}

extension MemberReader {
  /// Agrees on a secret between the scalar `private` and a public key, and compares it with `shared`.
  fileprivate func judgeAgreement<Curve: EllipticCurve>(
    of curve: Curve.Type, with publicKey: () throws(CryptoError) -> ECPublicKey<Curve>
  ) throws(VectorFault) -> Verdict {
    let scalar = try octets("private").asInteger(byteCount: Curve.namedCurve.coordinateByteCount)
    let shared = try octets("shared")
    return verdict { () throws(CryptoError) in
      let peer = try publicKey()
      guard let scalar else { throw CryptoError(.invalidPrivateKey, "d is longer than the order") }
      let secret = try ECPrivateKey<Curve>(rawRepresentation: scalar).sharedSecret(with: peer)
      return .accepted(if: secret.octets == shared, otherwise: "the secret differs")
    }
  }
}
