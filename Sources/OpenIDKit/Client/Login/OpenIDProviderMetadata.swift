import JOSE
import StrictJSON

/// What a client must know of an OpenID provider.
///
/// Source: OpenID Connect Discovery 1.0 §3, RFC 8414 §2, RFC 8628 §4, RFC 9126 §5, RFC 9207 §3.
public struct OpenIDProviderMetadata: Sendable {
  /// `issuer`, compared as bytes.
  public let issuer: String
  /// `authorization_endpoint`: the URL that the browser is sent to for a login (RFC 6749 §3.1).
  public let authorizationEndpoint: String
  /// `token_endpoint`: the URL that codes and refresh tokens are redeemed at (RFC 6749 §3.2).
  public let tokenEndpoint: String
  /// `jwks_uri`: the URL of the JWK set whose keys sign the provider's ID tokens; nil for a server of plain OAuth that
  /// names none.
  public private(set) var keySetURL: String?
  /// `pushed_authorization_request_endpoint`: clients send their parameters there, where there is one.
  public var pushedAuthorizationEndpoint: String?
  /// `require_pushed_authorization_requests`: whether the provider takes no parameters but pushed ones (RFC 9126 §5).
  public var requiresPushedRequests = false
  /// `revocation_endpoint`: where tokens end at a logout.
  public var revocationEndpoint: String?
  /// `userinfo_endpoint`: the URL that gives claims about the user for an access token (OpenID Connect Core 1.0 §5.3).
  public var userInfoEndpoint: String?
  /// `device_authorization_endpoint`: the URL that gives codes to devices without a browser (RFC 8628 §3.1).
  public var deviceAuthorizationEndpoint: String?
  /// `end_session_endpoint`: where a ``LogoutRequest`` goes.
  public var endSessionEndpoint: String?
  /// `authorization_response_iss_parameter_supported`: each answer names the provider, so that one without is refused.
  public var announcesIssuerInResponse = false
  /// Whether the provider's endpoints may be on this machine, without TLS. The client that is made for it goes by this.
  package let plainHTTP: PlainHTTP
  /// All members of the discovery document, as the provider wrote them; none without a document.
  public private(set) var members: JSONObject = [:]

  /// A provider without a discovery document.
  ///
  /// - Parameters:
  ///   - issuer: `issuer`.
  ///   - authorizationEndpoint: `authorization_endpoint`.
  ///   - tokenEndpoint: `token_endpoint`.
  ///   - keySetURL: `jwks_uri`.
  ///   - plainHTTP: whether the endpoints may be on this machine, without TLS.
  /// - Throws: `ErrorCode.metadataInvalid` for an endpoint that is not `https`.
  public init(
    issuer: String, authorizationEndpoint: String, tokenEndpoint: String, keySetURL: String,
    plainHTTP: PlainHTTP = .refused
  ) throws(OpenIDError) {
    try self.init(issuer, authorizationEndpoint, tokenEndpoint, plainHTTP)
    self.keySetURL = try plainHTTP.endpoint(keySetURL, "jwks_uri")
  }

  private init(
    _ issuer: String, _ authorizationEndpoint: String, _ tokenEndpoint: String, _ plainHTTP: PlainHTTP
  ) throws(OpenIDError) {
    (self.issuer, self.plainHTTP) = (issuer, plainHTTP)
    self.authorizationEndpoint = try plainHTTP.endpoint(authorizationEndpoint, "authorization_endpoint")
    self.tokenEndpoint = try plainHTTP.endpoint(tokenEndpoint, "token_endpoint")
  }

  /// Reads a discovery document. An endpoint that a client can do without counts as absent if it is not an `https`
  /// address.
  ///
  /// - Parameters:
  ///   - json: the document as it was fetched, over a connection that authenticates the issuer: nothing in it is
  ///     signed.
  ///   - issuer: the issuer that it was fetched for. It must name itself with the same bytes.
  ///   - limits: bounds on the document, whose size is that of a key set.
  ///   - plainHTTP: whether the endpoints may be on this machine, without TLS.
  /// - Throws: `ErrorCode.metadataInvalid`, with the member's name.
  public init(
    parsing json: some Collection<UInt8>, issuer: String, limits: Limits = .default, plainHTTP: PlainHTTP = .refused
  ) throws(OpenIDError) {
    try self.init(plainOAuth: json, issuer: issuer, limits: limits, plainHTTP: plainHTTP)
    keySetURL = try plainHTTP.endpoint(members["jwks_uri"]?.stringValue ?? "", "jwks_uri")
  }

  /// The same of a server that need not publish keys.
  init(
    plainOAuth json: some Collection<UInt8>, issuer: String, limits: Limits = .default, plainHTTP: PlainHTTP
  ) throws(OpenIDError) {
    let members: JSONObject
    do throws(JOSEError) {
      members = try IssuerMetadata.members(parsing: json, issuer: issuer, limits: limits)
    } catch {
      throw OpenIDError(.metadataInvalid, "the document must name the requested issuer", name: error.name)
    }
    func text(_ name: String) -> String { members[name]?.stringValue ?? "" }
    func optional(_ name: String) -> String? { try? plainHTTP.endpoint(text(name), name) }
    try self.init(issuer, text("authorization_endpoint"), text("token_endpoint"), plainHTTP)
    self.members = members
    keySetURL = optional("jwks_uri")
    pushedAuthorizationEndpoint = optional("pushed_authorization_request_endpoint")
    revocationEndpoint = optional("revocation_endpoint")
    userInfoEndpoint = optional("userinfo_endpoint")
    deviceAuthorizationEndpoint = optional("device_authorization_endpoint")
    endSessionEndpoint = optional("end_session_endpoint")
    // Only `true` itself counts: a string "true" is not a flag.
    requiresPushedRequests = members["require_pushed_authorization_requests"]?.boolValue == true
    announcesIssuerInResponse = members["authorization_response_iss_parameter_supported"]?.boolValue == true
  }

  /// Fetches an issuer's discovery document and reads it.
  ///
  /// - Parameters:
  ///   - issuer: an `https` address: the text that its ID tokens have in `iss`.
  ///   - plainHTTP: whether the provider may be on this machine, without TLS: to develop against one at
  ///     `http://127.0.0.1:8080`.
  ///   - transport: the caller's HTTP client, which must not follow redirects.
  /// - Throws: `ErrorCode.settingInvalid` if the issuer is no such address,
  ///   `ErrorCode.temporarilyUnavailable` if there is no answer with status 200,
  ///   `ErrorCode.metadataInvalid`.
  public static func discover(
    _ issuer: String, plainHTTP: PlainHTTP = .refused, transport: HTTPTransport
  ) async throws(OpenIDError) -> OpenIDProviderMetadata {
    guard let url = try? IssuerMetadata.url(of: issuer, kind: .openID, plainHTTP: plainHTTP) else {
      throw OpenIDError(.settingInvalid, "the issuer is not an https address", name: "issuer")
    }
    guard let answer = try? await transport(.reading(url)), answer.status == 200 else {
      throw .unavailable(after: nil)
    }
    return try OpenIDProviderMetadata(parsing: answer.body, issuer: issuer, plainHTTP: plainHTTP)
  }
}

extension PlainHTTP {
  /// An endpoint takes credentials, so it must be one that requests may go to.
  fileprivate func endpoint(_ text: String, _ name: String) throws(OpenIDError) -> String {
    guard permits(text) else {
      throw OpenIDError(.metadataInvalid, "an endpoint is absent, or not an https address", name: name)
    }
    return text
  }
}
