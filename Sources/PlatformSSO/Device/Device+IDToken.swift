import JOSE
import StrictJSON

/// An `id_token` whose signature and claims have been checked for one request. Only that check makes a value of this type.
public struct VerifiedIDToken: Sendable {
  /// All claims.
  public let claims: JSONObject

  /// The claim that names the user for good: `sub`, or the one configured.
  public let uniqueIdentifier: String

  /// The user's groups, if the token has any.
  public let groups: [String]?

  /// `iat`.
  public let issuedAt: NumericDate

  /// `exp`.
  public let expiration: NumericDate

  /// The header.
  public let header: ProtectedHeader
}

extension PlatformSSODevice {
  /// Checks the `id_token` of the response to a request.
  ///
  /// ES256 or RS256 with a key of the provider's set; any other algorithm is ``PlatformSSOErrorCode/algorithmNotAllowed``.
  /// Source: Apple, Processing the JSON Web Encryption (JWE) login response.
  func verifiedIDToken(
    _ token: String, clientNonce: String, keys: JWKSet
  ) throws(PlatformSSOError) -> VerifiedIDToken {
    let verified = try reportingJOSE { () throws(JOSEError) in
      try JWS.verify(token, with: keys, algorithms: IDTokenRules.algorithms, limits: limits)
    }
    let claims = try MessageMembers(parsing: verified.payload, limits: limits)
    try claims.require("iss", configuration.issuer)
    try requireAudience(claims)
    if configuration.requiresIDTokenNonce || claims.object["nonce"] != nil {
      try claims.require("nonce", clientNonce)
    }
    let now = clock.now
    let issuedAt = try claims.time("iat")
    let latest = now.advanced(by: configuration.clockSkew)
    guard issuedAt <= latest else {
      throw PlatformSSOError(.claimNotYetValid, "the token was issued in the future", name: "iat")
    }
    if let notBefore = try claims.time(ifPresent: "nbf"), notBefore > latest {
      throw PlatformSSOError(.claimNotYetValid, "the token is not valid yet", name: "nbf")
    }
    let expiration = try claims.time("exp")
    guard expiration > now else { throw PlatformSSOError(.claimExpired, "the token has expired", name: "exp") }
    return VerifiedIDToken(
      claims: claims.object,
      uniqueIdentifier: try claims.nonEmptyString(configuration.uniqueIdentifierClaimName),
      groups: try claims.strings(ifPresent: configuration.groupResponseClaimName),
      issuedAt: issuedAt, expiration: expiration, header: verified.header)
  }

  /// `aud` is the client, or an array with the client in it; then `azp` must be the client.
  private func requireAudience(_ claims: MessageMembers) throws(PlatformSSOError) {
    switch claims.object["aud"] {
    case nil:
      throw claims.missing("aud")
    case .string(let audience)?:
      guard audience.hasSameBytes(as: configuration.clientID) else { throw claims.mismatch("aud") }
      if claims.object["azp"] != nil { try claims.require("azp", configuration.clientID) }
    default:
      guard let audiences = try claims.strings(ifPresent: "aud"), audiences.containsBytes(of: configuration.clientID)
      else {
        throw claims.mismatch("aud")
      }
      try claims.require("azp", configuration.clientID)
    }
  }
}

extension MessageMembers {
  /// An array of strings, if the member is there.
  func strings(ifPresent name: String) throws(PlatformSSOError) -> [String]? {
    guard let value = object[name] else { return nil }
    guard case .array(let elements) = value else { throw invalid(name) }
    var strings: [String] = []
    for element in elements {
      guard case .string(let string) = element else { throw invalid(name) }
      strings.append(string)
    }
    return strings
  }
}
