import PureCrypto

/// Signatures with the nonces of RFC 6979.
struct ECDSADeterministicSignGroup: SignatureGroup {
  let curve: any EllipticCurve.Type
  let function: HashFunction
  private let scalar: [UInt8]
  private let coordinates: (x: [UInt8], y: [UInt8])

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    curve = try group.curve()
    function = try group.hashFunction()
    let key = try group.object("key")
    scalar = try key.octets("d")
    coordinates = try key.coordinates()
  }

  func judge<Curve: EllipticCurve, Function: SHA2Function>(
    _ test: MemberReader, _ curve: Curve.Type, _ function: Function.Type
  ) throws -> Verdict {
    let message = try test.octets("msg")
    let k = try test.octets("k")
    let expected = try test.octets("sig")
    guard try test.octets("r") + test.octets("s") == expected else { throw VectorFault.malformed("sig is not r ‖ s") }
    let key = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: scalar)
    guard key.publicKey.x == coordinates.x, key.publicKey.y == coordinates.y else {
      return .wrong("the public key differs")
    }
    let digest = function.hash(message)
    // With another hash function than the curve's own there is no public way.
    let anyKey = try AnyECPrivateKey(Curve.namedCurve, rawRepresentation: key.rawRepresentation)
    guard anyKey.signature(forDigest: digest, of: function, nonce: .deterministic) == expected else {
      return .wrong("the signature differs")
    }
    let signature = try ECDSASignature<Curve>(rawRepresentation: expected)
    if Function.self == Curve.HashFunction.self {
      guard key.signature(for: message, nonce: .deterministic) == signature else {
        return .wrong("message and digest are signed differently")
      }
    }
    guard try key.signature(forDigest: digest, givenNonce: k) == signature else {
      return .wrong("the nonce is another one")
    }
    let hedged = try ECDSASignature<Curve>(
      rawRepresentation: anyKey.signature(forDigest: digest, of: function, nonce: .hedged))
    guard hedged != signature, key.publicKey.isValidSignature(hedged, forDigest: digest, of: function) else {
      return .wrong("a hedged signature repeats the deterministic one, or does not verify")
    }
    return .accepted(
      if: key.publicKey.isValidSignature(signature, forDigest: digest, of: function), otherwise: "does not verify")
  }
}

/// Signatures with a given nonce.
struct ECDSASignWithNonceGroup: SignatureGroup {
  let curve: any EllipticCurve.Type
  let function: HashFunction

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    curve = try group.curve()
    function = try group.hashFunction()
  }

  func judge<Curve: EllipticCurve, Function: SHA2Function>(
    _ test: MemberReader, _ curve: Curve.Type, _ function: Function.Type
  ) throws -> Verdict {
    let scalar = try test.octets("d")
    let (x, y) = try test.coordinates()
    let k = try test.octets("k")
    let message = try test.octets("msg")
    let expected = try test.octets("sig")
    let key = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: scalar)
    guard key.publicKey.x == x, key.publicKey.y == y else { return .wrong("the public key differs") }
    let digest = function.hash(message)
    let signature = try key.signature(forDigest: digest, givenNonce: k)
    guard signature.rawRepresentation == expected else { return .wrong("the signature differs") }
    return .accepted(
      if: key.publicKey.isValidSignature(signature, forDigest: digest, of: function), otherwise: "does not verify")
  }
}
