import JOSEHTTP
import JOSE
import PureCrypto
import StrictJSON
import TokenRefresh

/// An authorization request that is waiting for its redirect. Serves once; keep it in memory.
///
/// Source: OpenID Connect Core 1.0 §3.1.2.1, RFC 7636, RFC 9207.
public struct PendingLogin: Sendable {
  /// The URL to show in the system's browser.
  public let url: String
  /// The scopes asked for.
  public let requestedScopes: [String]
  package let state: String
  package let nonce: String
  let pkce: PKCE

  /// Whether a device secret was asked for by scope.
  var requestsDeviceSSO: Bool { requestedScopes.containsBytes(of: Scope.deviceSSO) }

  /// Makes a request with fresh `state`, `nonce` and proof key.
  ///
  /// - Parameter additional: further parameters such as `prompt` or `login_hint`. They can't replace the others.
  /// - Throws: ``NativeSSOErrorCode/callerMisuse``.
  init(_ configuration: NativeSSOClientConfiguration, additional: [(String, String)]) throws(NativeSSOError) {
    try self.init(
      configuration, additional: additional, state: Self.fresh(), nonce: Self.fresh(), pkce: PKCE())
  }

  /// The same with values given, for reproducing an example.
  package init(
    _ configuration: NativeSSOClientConfiguration, additional: [(String, String)], state: String, nonce: String,
    pkce: PKCE
  ) throws(NativeSSOError) {
    guard let endpoint = try? URIComponents(parsing: configuration.metadata.authorizationEndpoint) else {
      throw NativeSSOError(.callerMisuse, "the authorization endpoint is not a URL", name: "authorization_endpoint")
    }
    var scopes = configuration.scopes
    if configuration.requestsDeviceSSO, !scopes.containsBytes(of: Scope.deviceSSO) { scopes.append(Scope.deviceSSO) }
    var query: FormFields = [
      "response_type": "code", "client_id": configuration.clientID, "redirect_uri": configuration.redirectURI,
      "scope": Scope.text(scopes), "state": state, "nonce": nonce, "code_challenge": pkce.challenge,
      "code_challenge_method": "S256",
    ]
    for (name, value) in additional {
      guard query.values(name).isEmpty else {
        throw NativeSSOError(.callerMisuse, "an additional parameter would replace one that is set", name: name)
      }
      query.append(name, value)
    }
    url = endpoint.appendingQuery(query)
    requestedScopes = scopes
    self.state = state
    self.nonce = nonce
    self.pkce = pkce
  }

  private static func fresh() -> String { Base64URL.encode(SystemRandom.bytes(count: 32)) }

  /// The code of a redirect that answers this request.
  ///
  /// - Throws: ``NativeSSOErrorCode/redirectInvalid``, or ``NativeSSOErrorCode/serverRefused`` if the provider answered with an error.
  func code(redirect: String, _ configuration: NativeSSOClientConfiguration) throws(NativeSSOError) -> String {
    let invalid = NativeSSOError(.redirectInvalid, "the redirect does not answer this request")
    // A redirect URI may have a query of its own, which the answer is appended to (RFC 6749 §3.1.2).
    guard let query = URIComponents.appendedQuery(of: redirect, to: configuration.redirectURI),
      let fields = try? FormFields(decoding: Array(query.utf8)),
      let state = try? fields.requiredValue("state"), ConstantTime.equal(state.utf8, self.state.utf8)
    else { throw invalid }
    let issuer = fields.values("iss").first
    guard issuer != nil || !configuration.metadata.announcesIssuerInResponse else {
      throw NativeSSOError(.redirectInvalid, "the redirect names no issuer, as the provider does", name: "iss")
    }
    if let issuer, !issuer.hasSameBytes(as: configuration.metadata.issuer) {
      throw NativeSSOError(.redirectInvalid, "the redirect names another issuer", name: "iss")
    }
    if let error = fields.values("error").first { throw NativeSSOError(refusal: OAuthErrorCode(error)) }
    guard let code = try? fields.requiredValue("code") else { throw invalid }
    return code
  }
}

extension PendingLogin: Redacted {
  /// The scopes only.
  public var description: String { "PendingLogin(\(requestedScopes.count) scopes)" }
}

extension NativeSSOError {
  /// The server's refusal. Its code is named if it is one that is registered.
  init(refusal code: OAuthErrorCode) {
    self.init(
      .serverRefused, "the server refused the request",
      name: OAuthErrorCode.known.contains(code) ? code.description : nil)
  }
}

extension OAuthErrorCode {
  /// The codes with a meaning here.
  static let known: Set<OAuthErrorCode> = [
    .invalidGrant, .invalidRequest, .invalidToken, .accessDenied, .invalidTarget, .interactionRequired, .invalidScope,
    .unauthorizedClient, .unsupportedGrantType, .invalidClient, .slowDown, .invalidDPoPProof, .useDPoPNonce,
    .serverError, .temporarilyUnavailable, .unsupportedTokenType,
  ]
}
