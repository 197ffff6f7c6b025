import PureCrypto
import StrictJSON

extension JWK {
  /// Reads the members of an octet key pair.
  ///
  /// Source: RFC 8037 §2.
  static func octetKeyPairMaterial(_ object: JSONObject) throws(JOSEError) -> Material {
    switch Curve(name: try object.requiredKeyString("crv")) {
    case .ed25519: try ed25519Material(object)
    case .x25519: try x25519Material(object)
    default: throw JOSEError(.algorithmUnsupported, "the curve is not implemented", name: "crv")
    }
  }

  private static func ed25519Material(_ object: JSONObject) throws(JOSEError) -> Material {
    guard let publicKey = try? Ed25519PublicKey(rawRepresentation: try object.requiredKeyOctets("x")) else {
      throw JOSEError(.keyInvalid, "not the canonical encoding of a point in 32 octets", name: "x")
    }
    guard object["d"] != nil else { return .ed25519Public(publicKey) }
    guard let privateKey = try? Ed25519PrivateKey(rawRepresentation: try privateOctets(object)) else {
      throw JOSEError(.keyInvalid, "the private key is not 32 octets", name: "d")
    }
    guard privateKey.publicKey == publicKey else { throw otherPublicKey }
    return .ed25519Private(privateKey)
  }

  /// Any 32 octets are a public key; those with which no secret can be agreed are refused at the agreement (RFC 8037 §2, RFC 7748 §6.1).
  private static func x25519Material(_ object: JSONObject) throws(JOSEError) -> Material {
    guard let publicKey = try? X25519PublicKey(rawRepresentation: try object.requiredKeyOctets("x")) else {
      throw JOSEError(.keyInvalid, "the public key is not 32 octets", name: "x")
    }
    guard object["d"] != nil else { return .x25519Public(publicKey) }
    guard let privateKey = try? X25519PrivateKey(rawRepresentation: try privateOctets(object)) else {
      throw JOSEError(.keyInvalid, "the private key is not 32 octets", name: "d")
    }
    guard privateKey.publicKey == publicKey else { throw otherPublicKey }
    return .x25519Private(privateKey)
  }

  private static func privateOctets(_ object: JSONObject) throws(JOSEError) -> SecretBytes {
    SecretBytes(copying: try object.requiredKeyOctets("d"))
  }

  /// A private key beside somebody else's public key would be used as one and published as another.
  private static var otherPublicKey: JOSEError {
    JOSEError(.keyInvalid, "private and public part do not belong together", name: "d")
  }

  static func publicMembers(_ curve: Curve, _ x: [UInt8]) -> JSONObject {
    ["kty": "OKP", "crv": .string(curve.description), "x": .string(Base64URL.encode(x))]
  }
}
