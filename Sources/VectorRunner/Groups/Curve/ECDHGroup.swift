import PureCrypto

/// Key agreement between a private scalar and a point given by its coordinates.
struct ECDHGroup: VectorGroup {
  private let curve: any EllipticCurvePrivateKey.Type

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    curve = try group.curve()
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict { try judge(test, curve) }

  private func judge<Key: EllipticCurvePrivateKey>(
    _ test: MemberReader, _ curve: Key.Type
  ) throws(VectorFault) -> Verdict {
    let scalar = try test.octets("private")
    let peer = try test.object("public").coordinates()
    let own = try test.object(ifPresent: "ownPublic")?.coordinates()
    let shared = try test.octets("shared")
    // Only where the stated secret is the false one does another secret count as a refusal.
    let isStatedSecretFalse = try test.strings("flags").contains("ZChanged")
    return verdict { () throws(CryptoError) in
      let key = try Key(rawRepresentation: scalar)
      if let own, key.publicKey.x != own.x || key.publicKey.y != own.y { return .refused("mismatch") }
      let secret = try key.sharedSecret(with: try Key.PublicKey(x: peer.x, y: peer.y))
      let isStatedSecret = secret.octets == shared
      return isStatedSecretFalse
        ? .accepted(if: isStatedSecret) : .accepted(if: isStatedSecret, otherwise: "the secret differs")
    }
  }
}
