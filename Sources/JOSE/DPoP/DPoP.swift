import PureCrypto
import StrictJSON

/// Demonstrating proof of possession: a token bound to a key, and a signed proof with each request.
///
/// This is the one place where a key from a header verifies something: it proves only that the sender holds that very
/// key, whose thumbprint the caller compares with the one that an access token is bound to.
///
/// Source: RFC 9449.
public enum DPoP {
  /// Makes the proof for one request.
  ///
  /// - Parameters:
  ///   - method: the HTTP method, such as `POST`.
  ///   - url: the request's URL. Query and fragment are left out of the proof.
  ///   - key: a private key with a public half. Its public JWK travels in the proof.
  ///   - accessToken: the token that the request carries, if it carries one.
  ///   - nonce: the server's last `DPoP-Nonce`, if it gave one.
  ///   - clock: where the proof's `iat` comes from. Servers take a proof for about a minute, so it must be about right.
  /// - Throws: ``ErrorCode/callerMisuse`` if the URL is not absolute, ``ErrorCode/limitExceeded`` if it has
  ///   more than 8192 octets before query and fragment, ``ErrorCode/keyMismatch`` for a symmetric key,
  ///   ``ErrorCode/externalKeyFailed``.
  public static func proof(
    method: String, url: String, key: SigningKey, accessToken: String? = nil, nonce: String? = nil,
    clock: WallClock = .system
  ) throws(JOSEError) -> String {
    guard let target = try DPoPTarget(url) else {
      throw JOSEError(.callerMisuse, "the URL has no scheme and host", name: "htu")
    }
    guard var publicKey = key.verificationKey.publicJWK else {
      throw JOSEError(
        .keyMismatch, "a symmetric key proves nothing to others: make one by JWK.generate(.es256)", name: "jwk",
        fault: .callerMisuse)
    }
    publicKey.keyID = nil
    publicKey.algorithm = nil
    publicKey.use = nil
    var claims: JSONObject = [
      "jti": .string(Base64URL.encode(SystemRandom.bytes(count: 16))), "htm": .string(method),
      "htu": .string(target.text), "iat": .number(JSONNumber(clock.now.wholeSeconds)),
    ]
    if let accessToken { claims["ath"] = .string(accessTokenHash(accessToken)) }
    if let nonce { claims["nonce"] = .string(nonce) }
    var parameters: JSONObject = ["typ": .string(type), "alg": .string(key.algorithm.name)]
    parameters["jwk"] = .object(try publicKey.publicJSONObject())
    var signingInput: [UInt8] = []
    Base64URL.append(parameters.serialized(), to: &signingInput)
    signingInput.append(0x2E)
    Base64URL.append(claims.serialized(), to: &signingInput)
    return JWS.compact(signingInput, signature: try key.signature(for: signingInput))
  }

  static let type = "dpop+jwt"

  /// `ath`: the hash of an access token's ASCII text.
  static func accessTokenHash(_ accessToken: String) -> String {
    Base64URL.encode(SHA2.SHA256.hash(accessToken.utf8))
  }
}
