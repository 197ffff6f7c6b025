import PureCrypto

/// X25519 of a private and a public key.
struct X25519Group: VectorGroup {
  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    try group.requireX25519()
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let (scalar, point) = (try test.octets("private"), try test.octets("public"))
    let shared = try test.octets("shared")
    let key = try X25519PrivateKey(rawRepresentation: scalar)
    let peer = try X25519PublicKey(rawRepresentation: point)
    guard try X25519PublicKey(derRepresentation: peer.derRepresentation) == peer,
      try X25519PublicKey(pemRepresentation: peer.pemRepresentation) == peer,
      try X25519PrivateKey(pemRepresentation: key.pemRepresentation).publicKey == key.publicKey
    else { return .wrong("the key files give other keys") }
    return .accepted(if: try key.sharedSecret(with: peer).octets == shared, otherwise: "the secret differs")
  }
}

/// X25519 again and again: the secret becomes the private key, and the private key the public one.
struct X25519IteratedGroup: VectorGroup {
  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    try group.requireX25519()
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let start = try test.octets("start")
    let iterations = try test.integer("iterations", in: 1...1_000_000)
    let expected = try test.octets("shared")
    var (k, u) = (start, start)
    for _ in 0..<iterations {
      let secret = try X25519PrivateKey(rawRepresentation: k).sharedSecret(
        with: X25519PublicKey(rawRepresentation: u))
      (k, u) = (secret.octets, k)
    }
    return .accepted(if: k == expected, otherwise: "the last secret differs")
  }
}

extension MemberReader {
  fileprivate func requireX25519() throws(VectorFault) {
    let curve = try string("curve")
    guard curve == "X25519" || curve == "curve25519" else { throw .notImplemented(curve) }
  }
}
