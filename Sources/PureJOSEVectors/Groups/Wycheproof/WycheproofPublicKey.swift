import JOSE
import PureCrypto

/// The public key of a Wycheproof group, in each of the forms that it is given in.
struct WycheproofPublicKey {
  /// The key, which all of the forms agree on.
  let key: any VerifyingKey

  init(reading group: MemberReader) throws(VectorFault) {
    let publicKey = try group.object("publicKey")
    guard try publicKey.string("type") == "EcPublicKey" else { throw .malformed("publicKey is of another type") }
    key = try Self.key(of: publicKey.curve(), publicKey, in: group)
    try group.requireSameKey(inJWK: "publicKeyJwk", asDER: group.octets("publicKeyDer"))
  }

  private static func key<Curve: EllipticCurve>(
    of curve: Curve.Type, _ publicKey: MemberReader, in group: MemberReader
  ) throws(VectorFault) -> any VerifyingKey {
    let byteCount = Curve.namedCurve.coordinateByteCount
    guard try (8 * byteCount - 7...8 * byteCount).contains(publicKey.integer("keySize")) else {
      throw .malformed("keySize is not that of the curve")
    }
    let uncompressed = try publicKey.octets("uncompressed")
    // Integers as Java writes them: a zero octet in front where the highest bit is set.
    let x = try publicKey.octets("wx").asInteger(byteCount: byteCount)
    let y = try publicKey.octets("wy").asInteger(byteCount: byteCount)
    let der = try group.octets("publicKeyDer")
    let pem = try group.string("publicKeyPem")
    do throws(CryptoError) {
      let key = try ECPublicKey<Curve, KeyUse.All>(x963Representation: uncompressed)
      guard key.x == x, key.y == y, try ECPublicKey<Curve, KeyUse.All>(derRepresentation: der) == key,
        key.derRepresentation == der,
        try ECPublicKey<Curve, KeyUse.All>(pemRepresentation: pem) == key
      else { throw CryptoError(.invalidPublicKey, "its forms are different keys") }
      return key
    } catch {
      throw .malformed("the public key: \(error)")
    }
  }
}

extension MemberReader {
  /// Requires that the JWK beside a key, if there is one, is that key.
  func requireSameKey(inJWK name: String, asDER der: [UInt8]) throws(VectorFault) {
    guard let jwk = try jsonObject(ifPresent: name) else { return }
    guard let key = try? JWK(jwk).material.publicKey, key == (try? PublicKey(derRepresentation: der)) else {
      throw .malformed("\(name) is another key")
    }
  }
}
