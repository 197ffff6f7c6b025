import PureCrypto
import StrictJSON

extension JWK {
  /// Reads the members of an elliptic curve key.
  ///
  /// Source: RFC 7518 §6.2.
  static func ellipticCurveMaterial(_ object: JSONObject) throws(JOSEError) -> Material {
    switch Curve(name: try object.requiredKeyString("crv")) {
    case .p256:
      try material(object, P256PrivateKey.self, isPublic: Material.p256Public, isPrivate: Material.p256Private)
    case .p384:
      try material(object, P384PrivateKey.self, isPublic: Material.p384Public, isPrivate: Material.p384Private)
    case .p521:
      try material(object, P521PrivateKey.self, isPublic: Material.p521Public, isPrivate: Material.p521Private)
    default:
      throw JOSEError(.algorithmUnsupported, "the curve is not implemented", name: "crv")
    }
  }

  private static func material<Key: EllipticCurvePrivateKey>(
    _ object: JSONObject, _: Key.Type, isPublic: (Key.PublicKey) -> Material, isPrivate: (Key) -> Material
  ) throws(JOSEError) -> Material {
    // The key takes exactly the length of the field for each coordinate and checks the point (RFC 7518 §6.2.1.2).
    let x = try object.requiredKeyOctets("x")
    let y = try object.requiredKeyOctets("y")
    guard let publicKey = try? Key.PublicKey(x: x, y: y) else {
      throw JOSEError(.keyInvalid, "the coordinates are no point of the curve, or not of the field's length", name: "x")
    }
    guard object["d"] != nil else { return isPublic(publicKey) }
    let d = SecretBytes(copying: try object.requiredKeyOctets("d"))
    guard let privateKey = try? Key(rawRepresentation: d) else {
      throw JOSEError(.keyInvalid, "the private scalar is out of range, or not of the order's length", name: "d")
    }
    // A private key beside somebody else's point would sign with one key and publish another.
    guard privateKey.publicKey == publicKey else {
      throw JOSEError(.keyInvalid, "private and public part do not belong together", name: "d")
    }
    return isPrivate(privateKey)
  }

  static func publicMembers(_ key: some EllipticCurvePublicKey, on curve: Curve) -> JSONObject {
    [
      "kty": "EC", "crv": .string(curve.description),
      "x": .string(Base64URL.encode(key.x)), "y": .string(Base64URL.encode(key.y)),
    ]
  }
}
