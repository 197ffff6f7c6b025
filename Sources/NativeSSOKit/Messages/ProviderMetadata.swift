import JOSE
import StrictJSON

/// What a provider's discovery document says, as far as Native SSO needs it.
///
/// Source: OpenID Connect Discovery 1.0 §3, OpenID Connect Native SSO 1.0 §7.
public struct ProviderMetadata: Sendable {
  /// Whether the provider speaks Native SSO.
  public enum Support: Sendable, Hashable {
    /// Some flag says so.
    case supported
    /// The document says no, or nothing.
    case unsupported
    /// There was no document to read.
    case unknown
  }

  /// `issuer`, to be compared byte for byte.
  public var issuer: String
  /// `authorization_endpoint`.
  public var authorizationEndpoint: String
  /// `token_endpoint`.
  public var tokenEndpoint: String
  /// `revocation_endpoint`.
  public var revocationEndpoint: String?
  /// `jwks_uri`.
  public var jwksURI: String?
  /// What the flags say.
  public var support: Support
  /// `scopes_supported`.
  public var scopesSupported: [String]?
  /// `grant_types_supported`.
  public var grantTypesSupported: [String]?
  /// `claims_supported`.
  public var claimsSupported: [String]?
  /// Whether `native_sso_supported` itself is there and true, which promises the draft's own scope.
  public var announcesDraftSupport: Bool
  /// `authorization_response_iss_parameter_supported`: every redirect names the issuer, so that one without is refused
  /// (RFC 9207).
  public var announcesIssuerInResponse = false

  /// Whether the endpoints may be on this machine, without TLS. A request to any other address that is not https is not
  /// sent.
  public var plainHTTP = PlainHTTP.refused

  /// Metadata that the app knows without a document. Support is unknown until the caller says otherwise.
  public init(
    issuer: String, authorizationEndpoint: String, tokenEndpoint: String, revocationEndpoint: String? = nil,
    support: Support = .unknown
  ) {
    (self.issuer, self.support) = (issuer, support)
    (self.authorizationEndpoint, self.tokenEndpoint) = (authorizationEndpoint, tokenEndpoint)
    self.revocationEndpoint = revocationEndpoint
    announcesDraftSupport = false
  }

  /// Reads a discovery document.
  ///
  /// - Parameters:
  ///   - json: the document as it was fetched, over a connection that authenticates the issuer: nothing in it is
  ///     signed.
  ///   - issuer: the issuer that the document was fetched for. It must name itself with the same bytes.
  ///   - limits: bounds on the document, whose size is that of a key set.
  ///   - plainHTTP: whether the endpoints may be on this machine, without TLS.
  /// - Throws: ``NativeSSOErrorCode/metadataInvalid``.
  public init(
    parsing json: some Collection<UInt8>, issuer: String, limits: Limits = .default, plainHTTP: PlainHTTP = .refused
  ) throws(NativeSSOError) {
    guard let object = try? JSONObject(parsing: json, within: limits.keySetJSON) else {
      throw NativeSSOError(.metadataInvalid, "the document is not a JSON object of acceptable size")
    }
    guard try Self.required(object, "issuer").hasSameBytes(as: issuer) else {
      throw NativeSSOError(.metadataInvalid, "the document is of another issuer", name: "issuer")
    }
    self.init(
      issuer: issuer, authorizationEndpoint: try Self.endpoint(object, "authorization_endpoint", plainHTTP),
      tokenEndpoint: try Self.endpoint(object, "token_endpoint", plainHTTP))
    self.plainHTTP = plainHTTP
    revocationEndpoint = try Self.optionalEndpoint(object, "revocation_endpoint", plainHTTP)
    jwksURI = try Self.optionalEndpoint(object, "jwks_uri", plainHTTP)
    scopesSupported = try Self.strings(object, "scopes_supported")
    grantTypesSupported = try Self.strings(object, "grant_types_supported")
    claimsSupported = try Self.strings(object, "claims_supported")
    // Only `true` itself counts: a string "true" is not a flag.
    let flags = ["native_sso_supported", "native_sso_support", "native_sso_token_exchange_supported"]
    support = flags.contains { object[$0]?.boolValue == true } ? .supported : .unsupported
    announcesIssuerInResponse = object["authorization_response_iss_parameter_supported"]?.boolValue == true
    announcesDraftSupport =
      object["native_sso_supported"]?.boolValue == true || object["native_sso_support"]?.boolValue == true
  }

  private static func required(_ object: JSONObject, _ name: String) throws(NativeSSOError) -> String {
    guard case .string(let text)? = object[name], !text.isEmpty else {
      throw NativeSSOError(.metadataInvalid, "a required member is absent or no string", name: name)
    }
    return text
  }

  /// An endpoint takes credentials, so it must be one that requests may go to.
  private static func endpoint(
    _ object: JSONObject, _ name: String, _ plainHTTP: PlainHTTP
  ) throws(NativeSSOError) -> String {
    let text = try required(object, name)
    guard plainHTTP.permits(text) else {
      throw NativeSSOError(.metadataInvalid, "an endpoint is not an https URL", name: name)
    }
    return text
  }

  private static func optionalEndpoint(
    _ object: JSONObject, _ name: String, _ plainHTTP: PlainHTTP
  ) throws(NativeSSOError) -> String? {
    object[name] == nil ? nil : try endpoint(object, name, plainHTTP)
  }

  private static func strings(_ object: JSONObject, _ name: String) throws(NativeSSOError) -> [String]? {
    guard let value = object[name] else { return nil }
    let strings = value.arrayValue?.compactMap(\.stringValue)
    guard let strings, strings.count == value.arrayValue?.count else {
      throw NativeSSOError(.metadataInvalid, "a member is not an array of strings", name: name)
    }
    return strings
  }
}
