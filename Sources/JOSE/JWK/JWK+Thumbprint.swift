import PureCrypto
import StrictJSON

extension JWK {
  /// The SHA-256 thumbprint as base64url: 43 characters that name the key itself, whatever its other members.
  ///
  /// Private and public half have the same thumbprint.
  /// Source: RFC 7638.
  /// - Throws: ``JOSEError/Code/keyMismatch`` for a symmetric key; see ``secretKeyThumbprint()``.
  public func thumbprint() throws(JOSEError) -> String {
    guard keyType != .oct else {
      throw JOSEError(.keyMismatch, "a symmetric key's thumbprint is made by name only", name: "kty")
    }
    return thumbprint(using: SHA2.SHA256.self)
  }

  /// The SHA-256 thumbprint as a URI, for places that take one.
  ///
  /// Source: RFC 9278.
  /// - Throws: as ``thumbprint()``.
  public func thumbprintURI() throws(JOSEError) -> String {
    "urn:ietf:params:oauth:jwk-thumbprint:sha-256:" + (try thumbprint())
  }

  /// The SHA-256 thumbprint of a symmetric key.
  ///
  /// Whoever sees it can test guesses of the key against it. Publish it only if the key has 128 bits of entropy or more.
  /// Source: RFC 7638 §7.
  public func secretKeyThumbprint() -> String {
    thumbprint(using: SHA2.SHA256.self)
  }

  /// The thumbprint with another hash.
  package func thumbprint<Function: SHA2Function>(using function: Function.Type) -> String {
    Base64URL.encode(function.hash(thumbprintInput))
  }

  /// The required members only, in lexicographic order, without white space, encoded anew from the parsed key (RFC 7638 §3.1).
  package var thumbprintInput: [UInt8] {
    let members: JSONObject =
      switch material.publicMaterial {
      case .p256Public(let key): Self.thumbprintMembers(key, on: .p256)
      case .p384Public(let key): Self.thumbprintMembers(key, on: .p384)
      case .p521Public(let key): Self.thumbprintMembers(key, on: .p521)
      case .rsaPublic(let key): Self.thumbprintMembers(key)
      case .ed25519Public(let key): Self.thumbprintMembers(.ed25519, key.rawRepresentation)
      case .x25519Public(let key): Self.thumbprintMembers(.x25519, key.rawRepresentation)
      default: secretKeyThumbprintMembers
      }
    return members.serialized()
  }

  private var secretKeyThumbprintMembers: JSONObject {
    guard case .octets(let octets) = material else { return [:] }
    return ["k": .string(octets.withUnsafeBytes { Base64URL.encode($0) }), "kty": "oct"]
  }

  private static func thumbprintMembers(_ key: some EllipticCurvePublicKey, on curve: Curve) -> JSONObject {
    [
      "crv": .string(curve.description), "kty": "EC",
      "x": .string(Base64URL.encode(key.x)), "y": .string(Base64URL.encode(key.y)),
    ]
  }

  /// Source: RFC 8037 §2.
  private static func thumbprintMembers(_ curve: Curve, _ x: [UInt8]) -> JSONObject {
    ["crv": .string(curve.description), "kty": "OKP", "x": .string(Base64URL.encode(x))]
  }

  private static func thumbprintMembers(_ key: RSAPublicKey) -> JSONObject {
    [
      "e": .string(Base64URL.encode(key.publicExponent)), "kty": "RSA",
      "n": .string(Base64URL.encode(key.modulus)),
    ]
  }
}
