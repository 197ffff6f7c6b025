import PureCrypto

/// Validation of a public key given by its coordinates, and round trips through its encodings.
struct ECPublicKeyGroup: PlainCurveGroup {
  let curve: any EllipticCurve.Type

  func judge<Curve: EllipticCurve>(_ test: MemberReader, _ curve: Curve.Type) throws -> Verdict {
    let (x, y) = try test.coordinates()
    let uncompressed = try verdict {
      try ECPublicKey<Curve, KeyUse.All>(x963Representation: [4] + x + y).judge(x: x, y: y)
    }
    let separate = try verdict { try ECPublicKey<Curve, KeyUse.All>(x: x, y: y).judge(x: x, y: y) }
    switch (uncompressed, separate) {
    case (.accepted, .accepted), (.refused, .refused): return separate
    case (.wrong, _): return uncompressed
    case (_, .wrong): return separate
    default: return .wrong("coordinates and encoded point are judged differently")
    }
  }
}

/// A private key and the public key that belongs to it.
struct ECKeyPairGroup: PlainCurveGroup {
  let curve: any EllipticCurve.Type

  func judge<Curve: EllipticCurve>(_ test: MemberReader, _ curve: Curve.Type) throws -> Verdict {
    let scalar = try test.octets("d")
    let (x, y) = try test.coordinates()
    let key = try ECPrivateKey<Curve, KeyUse.All>(rawRepresentation: scalar)
    guard key.publicKey.x == x, key.publicKey.y == y else { return .refused("mismatch") }
    guard key.rawRepresentation.octets == scalar else { return .wrong("d is not kept") }
    guard try ECPrivateKey<Curve, KeyUse.All>(derRepresentation: key.derRepresentation).publicKey == key.publicKey
    else {
      return .wrong("PKCS#8 gives another key")
    }
    return try key.publicKey.judge(x: x, y: y)
  }
}

/// Points in the encodings of SEC 1.
struct ECPointEncodingGroup: PlainCurveGroup {
  let curve: any EllipticCurve.Type

  func judge<Curve: EllipticCurve>(_ test: MemberReader, _ curve: Curve.Type) throws -> Verdict {
    let encoded = try test.octets("encoded")
    let x = try test.octets(ifPresent: "x")
    let y = try test.octets(ifPresent: "y")
    let uncompressed = try verdict {
      let key = try ECPublicKey<Curve, KeyUse.All>(x963Representation: encoded)
      guard key.x963Representation == encoded else { return .wrong("another encoding was accepted") }
      return try key.judge(x: x ?? key.x, y: y ?? key.y)
    }
    guard case .refused = uncompressed else { return uncompressed }
    let key = try ECPublicKey<Curve, KeyUse.All>(compressedRepresentation: encoded)
    guard key.compressedRepresentation == encoded else { return .wrong("another encoding was accepted") }
    return try key.judge(x: x ?? key.x, y: y ?? key.y)
  }
}

extension ECPublicKey {
  /// Whether this is the point (x, y), and stays it through all of its encodings.
  func judge(x: [UInt8], y: [UInt8]) throws(CryptoError) -> Verdict {
    guard self.x == x, self.y == y else { return .wrong("the coordinates differ") }
    let copies = [
      try Self(x963Representation: x963Representation),
      try Self(compressedRepresentation: compressedRepresentation),
      try Self(derRepresentation: derRepresentation),
      try Self(pemRepresentation: pemRepresentation),
    ]
    return .accepted(if: copies.allSatisfy { $0 == self }, otherwise: "an encoding gives another point")
  }
}
