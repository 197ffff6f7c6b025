import JOSE
import PureCrypto

/// Wycheproof's key agreement with public keys as X.509 structures or as encoded points.
struct WycheproofECDHGroup: CurveGroup {
  let curve: any EllipticCurve.Type
  private let isPoint: Bool

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    curve = try group.curve()
    isPoint = try group.string("type") == "EcdhEcpointTest"
    guard try group.string("encoding") == (isPoint ? "ecpoint" : "asn") else {
      throw .malformed("the encoding must be the usual one")
    }
  }

  func judge<Curve: EllipticCurve>(_ test: MemberReader, _ curve: Curve.Type) throws -> Verdict {
    let encoded = try test.octets("public")
    let byteCount = Curve.namedCurve.coordinateByteCount
    let scalar = try test.octets("private").asInteger(byteCount: byteCount)
    let shared = try test.octets("shared")
    let peer: ECPublicKey<Curve, KeyUse.All>
    if !isPoint {
      peer = try ECPublicKey(derRepresentation: encoded)
    } else if encoded.count == 1 + byteCount {
      // The length tells which form it claims to be, as it does in X.509.
      peer = try ECPublicKey(compressedRepresentation: encoded)
    } else {
      peer = try ECPublicKey(x963Representation: encoded)
    }
    guard let scalar else { throw CryptoError(.invalidPrivateKey, "d is longer than the order") }
    let secret = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: scalar).sharedSecret(with: peer)
    return .accepted(if: secret.octets == shared, otherwise: "the secret differs")
  }
}
