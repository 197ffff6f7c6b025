import PureCrypto

/// X25519 of a private and a public key.
struct X25519Group: VectorGroup {
  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    try group.requireX25519()
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let secret = try test.octets("private")
    let peer = try test.octets("public")
    let shared = try test.octets("shared")
    return verdict { () throws(CryptoError) in
      let key = try X25519PrivateKey(rawRepresentation: secret)
      let peer = try X25519PublicKey(rawRepresentation: peer)
      guard try X25519PublicKey(derRepresentation: peer.derRepresentation) == peer,
        try X25519PublicKey(pemRepresentation: peer.pemRepresentation) == peer,
        try X25519PrivateKey(pemRepresentation: key.pemRepresentation).publicKey == key.publicKey
      else { return .wrong("the key files give other keys") }
      let secret = try key.sharedSecret(with: peer)
      return .accepted(if: secret.withUnsafeBytes { Array($0) } == shared, otherwise: "the secret differs")
    }
  }
}

/// X25519 again and again: the secret becomes the private key, and the private key the public one.
struct X25519IteratedGroup: VectorGroup {
  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    try group.requireX25519()
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let start = try test.octets("start")
    let iterations = try test.integer("iterations")
    let expected = try test.octets("shared")
    return verdict { () throws(CryptoError) in
      var (k, u) = (start, start)
      for _ in 0..<iterations {
        let secret = try X25519PrivateKey(rawRepresentation: k).sharedSecret(
          with: X25519PublicKey(rawRepresentation: u))
        (k, u) = (secret.withUnsafeBytes { Array($0) }, k)
      }
      return .accepted(if: k == expected, otherwise: "the last secret differs")
    }
  }
}

extension MemberReader {
  fileprivate func requireX25519() throws(VectorFault) {
    let curve = try string("curve")
    guard curve == "X25519" || curve == "curve25519" else { throw .notImplemented(curve) }
  }
}
