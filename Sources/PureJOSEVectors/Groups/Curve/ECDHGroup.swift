import PureCrypto

/// Key agreement between a private scalar and a point given by its coordinates.
struct ECDHGroup: PlainCurveGroup {
  let curve: any EllipticCurve.Type

  func judge<Curve: EllipticCurve>(_ test: MemberReader, _ curve: Curve.Type) throws -> Verdict {
    let scalar = try test.octets("private")
    let peer = try test.object("public").coordinates()
    let own = try test.object(ifPresent: "ownPublic")?.coordinates()
    let shared = try test.octets("shared")
    // Only where the stated secret is the false one does another secret count as a refusal.
    let isStatedSecretFalse = try test.strings("flags").contains("ZChanged")
    let key = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: scalar)
    if let own, key.publicKey.x != own.x || key.publicKey.y != own.y { return .refused("mismatch") }
    let secret = try key.sharedSecret(with: try ECPublicKey<Curve, KeyUse.All>(x: peer.x, y: peer.y))
    let isStatedSecret = secret.octets == shared
    return isStatedSecretFalse
      ? .accepted(if: isStatedSecret) : .accepted(if: isStatedSecret, otherwise: "the secret differs")
  }
}
