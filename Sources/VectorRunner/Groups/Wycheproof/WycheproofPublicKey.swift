import JOSE
import PureCrypto

/// The public key of a Wycheproof group, in each of the forms that it is given in.
struct WycheproofPublicKey {
  /// The key, which all of the forms agree on.
  let key: P256PublicKey

  init(reading group: MemberReader) throws(VectorFault) {
    let publicKey = try group.object("publicKey")
    guard try publicKey.string("type") == "EcPublicKey" else { throw .malformed("publicKey is of another type") }
    try publicKey.requireP256()
    guard try publicKey.integer("keySize") == 256 else { throw .malformed("keySize is not that of the curve") }
    let uncompressed = try publicKey.octets("uncompressed")
    // Integers as Java writes them: a zero octet in front where the highest bit is set.
    let x = try publicKey.octets("wx").asInteger256
    let y = try publicKey.octets("wy").asInteger256
    let der = try group.octets("publicKeyDer")
    let pem = try group.string("publicKeyPem")
    do throws(CryptoError) {
      key = try P256PublicKey(x963Representation: uncompressed)
      guard key.x == x, key.y == y, try P256PublicKey(derRepresentation: der) == key, key.derRepresentation == der,
        try P256PublicKey(pemRepresentation: pem) == key
      else { throw CryptoError(.invalidPublicKey, "its forms are different keys") }
    } catch {
      throw .malformed("the public key: \(error)")
    }
    if let jwk = try group.object(ifPresent: "publicKeyJwk") { try requireSameKey(jwk) }
  }

  private func requireSameKey(_ jwk: MemberReader) throws(VectorFault) {
    guard try jwk.string("kty") == "EC", try jwk.string("crv") == "P-256", try jwk.base64URL("x") == key.x,
      try jwk.base64URL("y") == key.y
    else { throw .malformed("publicKeyJwk is another key") }
    _ = try jwk.string(ifPresent: "kid")
  }
}
