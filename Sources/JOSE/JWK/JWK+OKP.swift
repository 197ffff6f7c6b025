import PureCrypto
import StrictJSON

extension JWK {
  /// Reads the members of an octet key pair.
  ///
  /// Source: RFC 8037 §2.
  static func octetKeyPairMaterial(_ object: JSONObject) throws(JOSEError) -> Material {
    guard try object.requiredKeyString("crv").hasSameBytes(as: "Ed25519") else {
      throw JOSEError(.algorithmUnsupported, "the curve is not implemented", name: "crv")
    }
    let x = try object.requiredKeyOctets("x")
    guard let publicKey = try? Ed25519PublicKey(rawRepresentation: x) else {
      throw JOSEError(.keyInvalid, "not the canonical encoding of a point in 32 octets", name: "x")
    }
    guard object["d"] != nil else { return .ed25519Public(publicKey) }
    let d = SecretBytes(copying: try object.requiredKeyOctets("d"))
    guard let privateKey = try? Ed25519PrivateKey(rawRepresentation: d) else {
      throw JOSEError(.keyInvalid, "the private key is not 32 octets", name: "d")
    }
    // A private key beside somebody else's point would sign with one key and publish another.
    guard privateKey.publicKey == publicKey else {
      throw JOSEError(.keyInvalid, "private and public part do not belong together", name: "d")
    }
    return .ed25519Private(privateKey)
  }

  /// In the order of a thumbprint.
  static func publicMembers(_ key: Ed25519PublicKey) -> JSONObject {
    ["crv": "Ed25519", "kty": "OKP", "x": .string(Base64URL.encode(key.rawRepresentation))]
  }
}
