import StrictJSON

/// What an issuer publishes about itself, as far as its keys are concerned.
///
/// Source: OpenID Connect Discovery 1.0 §3 and §4, RFC 8414 §2 and §3.
public struct IssuerMetadata: Sendable {
  /// Where the metadata lies and what they are called.
  public enum Kind: Sendable {
    /// `/.well-known/openid-configuration` at the end of the issuer's URL.
    case openID
    /// `/.well-known/oauth-authorization-server` between host and path of the issuer's URL.
    case oauth
    /// `/.well-known/jwt-vc-issuer` between host and path of the issuer's URL, of who issues credentials. The keys may
    /// stand in it, as `jwks`. The issuer and its `jwks_uri` have names for hosts, not addresses: see to it that the
    /// transport connects to no private address for such a name. List the issuers whose metadata are fetched: that is
    /// done before any signature is checked.
    ///
    /// Source: draft-ietf-oauth-sd-jwt-vc §3.5.
    case credential
  }

  /// The issuer, which is the one that was asked for.
  public let issuer: String

  /// `jwks_uri`: where the issuer publishes its keys. It is https, or what `PlainHTTP` allows.
  public let keySetURL: String

  /// All members, as the issuer wrote them.
  public let members: JSONObject

  /// Reads metadata that were found at the place for an issuer.
  ///
  /// - Parameters:
  ///   - json: the metadata.
  ///   - issuer: the trusted identifier. It must match exactly; even a trailing slash counts.
  ///   - limits: bounds on the text.
  ///   - plainHTTP: whether the keys may be on this machine, without TLS.
  /// - Throws: ``ErrorCode/malformed`` or ``ErrorCode/limitExceeded`` if the text is not a JSON object;
  ///   ``ErrorCode/claimMissing``, ``ErrorCode/claimInvalid`` or ``ErrorCode/claimMismatch`` for `issuer`
  ///   or `jwks_uri`.
  public init(
    parsing json: some Collection<UInt8>, issuer: String, limits: Limits = .default, plainHTTP: PlainHTTP = .refused
  ) throws(JOSEError) {
    let members = try Self.members(parsing: json, issuer: issuer, limits: limits)
    guard let keySetURL = try members.string(ifPresent: "jwks_uri", orThrow: .claimInvalid) else {
      throw JOSEError(.claimMissing, "the metadata has no jwks_uri", name: "jwks_uri")
    }
    try Self.requireAddress(keySetURL, plainHTTP)
    self.issuer = issuer
    self.keySetURL = keySetURL
    self.members = members
  }

  /// - Parameter publicName: whether the host must be a name that others know.
  static func requireAddress(
    _ keySetURL: String, _ plainHTTP: PlainHTTP, publicName: Bool = false
  ) throws(JOSEError) {
    guard let url = try? URIComponents(parsing: keySetURL), plainHTTP.permits(url),
      !publicName || url.isPublic(plainHTTP)
    else {
      throw JOSEError(.claimInvalid, "the key set's address must be an https URL", name: "jwks_uri")
    }
  }

  /// The members of metadata that were found at the place for an issuer, who is named in them.
  package static func members(
    parsing json: some Collection<UInt8>, issuer: String, limits: Limits = .default
  ) throws(JOSEError) -> JSONObject {
    let members = try JSONObject(parsing: json, within: limits.keySetJSON)
    guard let named = try members.string(ifPresent: "issuer", orThrow: .claimInvalid) else {
      throw JOSEError(.claimMissing, "the metadata has no issuer", name: "issuer")
    }
    guard WireName(named) == issuer else {
      throw JOSEError(
        .claimMismatch,
        named.differsByFinalSlash(from: issuer)
          ? "the metadata's issuer and the one asked for differ by a slash at the end: write it as the metadata do"
          : "the metadata are another issuer's", name: "issuer")
    }
    return members
  }

  /// Where an issuer's metadata lie.
  ///
  /// - Parameters:
  ///   - issuer: the issuer's identifier.
  ///   - kind: which metadata.
  ///   - plainHTTP: whether the issuer may be on this machine, without TLS.
  /// - Throws: ``ErrorCode/callerMisuse`` if the issuer is not an https URL without query and fragment.
  public static func url(
    of issuer: String, kind: Kind, plainHTTP: PlainHTTP = .refused
  ) throws(JOSEError) -> String {
    guard let components = try? URIComponents(parsing: issuer), plainHTTP.permits(components), components.query == nil
    else {
      throw JOSEError(.callerMisuse, "an issuer is an https URL without query and fragment", name: "issuer")
    }
    let name = String(Substring(issuer.utf8.dropLast(issuer.utf8.last == 0x2F ? 1 : 0)))
    switch kind {
    case .openID: return name + "/.well-known/openid-configuration"
    case .oauth: return try URIComponents(parsing: name).inserting(wellKnown: "oauth-authorization-server")
    case .credential:
      guard components.isPublic(plainHTTP) else {
        throw JOSEError(.callerMisuse, "an issuer of credentials has a name for its host", name: "issuer")
      }
      return try URIComponents(parsing: name).inserting(wellKnown: "jwt-vc-issuer")
    }
  }
}
