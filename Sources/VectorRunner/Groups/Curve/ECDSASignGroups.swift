import PureCrypto

/// Signatures with the nonces of RFC 6979.
struct ECDSADeterministicSignGroup: VectorGroup {
  private let scalar: [UInt8]
  private let coordinates: (x: [UInt8], y: [UInt8])

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    try group.requireP256WithSHA256()
    let key = try group.object("key")
    scalar = try key.octets("d")
    coordinates = try key.coordinates()
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let message = try test.octets("msg")
    let k = try test.octets("k")
    let expected = try test.octets("sig")
    guard try test.octets("r") + test.octets("s") == expected else { throw .malformed("sig is not r ‖ s") }
    return verdict { () throws(CryptoError) in
      let key = try P256PrivateKey(rawRepresentation: scalar)
      guard key.publicKey.x == coordinates.x, key.publicKey.y == coordinates.y else {
        return .wrong("the public key differs")
      }
      let signature = key.signature(for: message, nonce: .deterministic)
      guard signature.rawRepresentation == expected else { return .wrong("the signature differs") }
      let digest = SHA2.SHA256.hash(message)
      guard try key.signature(forDigest: digest, givenNonce: k) == signature else {
        return .wrong("the nonce is another one")
      }
      let hedged = key.signature(for: message)
      guard hedged != signature, key.publicKey.isValidSignature(hedged, for: message) else {
        return .wrong("a hedged signature repeats the deterministic one, or does not verify")
      }
      return .accepted(if: key.publicKey.isValidSignature(signature, for: message), otherwise: "does not verify")
    }
  }
}

/// Signatures with a given nonce.
struct ECDSASignWithNonceGroup: VectorGroup {
  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    try group.requireP256WithSHA256()
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let scalar = try test.octets("d")
    let (x, y) = try test.coordinates()
    let k = try test.octets("k")
    let message = try test.octets("msg")
    let expected = try test.octets("sig")
    return verdict { () throws(CryptoError) in
      let key = try P256PrivateKey(rawRepresentation: scalar)
      guard key.publicKey.x == x, key.publicKey.y == y else { return .wrong("the public key differs") }
      let signature = try key.signature(forDigest: SHA2.SHA256.hash(message), givenNonce: k)
      guard signature.rawRepresentation == expected else { return .wrong("the signature differs") }
      return .accepted(if: key.publicKey.isValidSignature(signature, for: message), otherwise: "does not verify")
    }
  }
}
