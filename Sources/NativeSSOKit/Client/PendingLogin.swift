import JOSE
import PureCrypto
import StrictJSON
import OpenIDKit

/// An authorization request that is waiting for its redirect. Serves once; keep it in memory.
///
/// Source: OpenID Connect Core 1.0 §3.1.2.1, RFC 7636, RFC 9207.
public struct PendingLogin: Sendable {
  /// The URL to show in the system's browser.
  public let url: String
  /// The scopes asked for.
  public let requestedScopes: [String]
  private let request: CodeRequest

  package var state: String { request.state }
  package var nonce: String { request.nonce }
  var pkce: PKCE { request.pkce }

  /// Whether a device secret was asked for by scope.
  var requestsDeviceSSO: Bool { requestedScopes.containsBytes(of: Scope.deviceSSO) }

  /// Makes a request with fresh `state`, `nonce` and proof key.
  ///
  /// - Parameter additional: further parameters such as `prompt` or `login_hint`. They can't replace the others.
  /// - Throws: `ErrorCode.callerMisuse`.
  init(_ configuration: NativeSSOClientConfiguration, additional: [(String, String)]) throws(NativeSSOError) {
    try self.init(configuration, additional: additional, CodeRequest())
  }

  /// The same with values given, for reproducing an example.
  package init(
    _ configuration: NativeSSOClientConfiguration, additional: [(String, String)], state: String, nonce: String,
    pkce: PKCE
  ) throws(NativeSSOError) {
    try self.init(configuration, additional: additional, CodeRequest(state: state, nonce: nonce, pkce: pkce))
  }

  private init(
    _ configuration: NativeSSOClientConfiguration, additional: [(String, String)], _ request: CodeRequest
  ) throws(NativeSSOError) {
    let metadata = configuration.metadata
    guard let endpoint = try? URIComponents(parsing: metadata.authorizationEndpoint) else {
      throw NativeSSOError(
        .callerMisuse, "the authorization endpoint is not an https URL", name: "authorization_endpoint")
    }
    var scopes = configuration.scopes
    if configuration.requestsDeviceSSO, !scopes.containsBytes(of: Scope.deviceSSO) { scopes.append(Scope.deviceSSO) }
    do throws(CodeRequest.Replaced) {
      url = endpoint.appendingQuery(
        try request.parameters(
          clientID: configuration.clientID, redirectURI: configuration.redirectURI, scopes: scopes,
          additional: FormFields(additional)))
    } catch {
      throw NativeSSOError(
        .callerMisuse, "an additional parameter would replace one that is set", name: error.name)
    }
    requestedScopes = scopes
    self.request = request
  }

  /// The code of a redirect that answers this request.
  ///
  /// - Throws: `ErrorCode.redirectInvalid`, or `ErrorCode.serverRefused` if the provider answered
  ///   with an error.
  func code(redirect: String, _ configuration: NativeSSOClientConfiguration) throws(NativeSSOError) -> String {
    let expected = AuthorizationResponse.Request(
      state: state, redirectURI: configuration.redirectURI, issuer: configuration.metadata.issuer,
      requiresIssuer: configuration.metadata.announcesIssuerInResponse)
    do throws(AuthorizationResponse.Fault) {
      return try AuthorizationResponse(redirect: redirect, answering: expected).code
    } catch {
      switch error {
      case .unrelated, .codeMissing:
        throw NativeSSOError(.redirectInvalid, "the redirect does not answer this request")
      case .issuerMissing:
        throw NativeSSOError(.redirectInvalid, "the redirect names no issuer, as the provider does", name: "iss")
      case .issuerMismatch:
        throw NativeSSOError(.redirectInvalid, "the redirect names another issuer", name: "iss")
      case .refused(let code): throw NativeSSOError(refusal: OAuthErrorCode(code))
      }
    }
  }
}

extension PendingLogin: Redacted {}

extension NativeSSOError {
  /// The server's refusal. Its code is named if it is one that is registered.
  init(refusal code: OAuthErrorCode) {
    self.init(
      .serverRefused, "the server refused the request",
      name: OAuthErrorName.registered(code.description))
  }
}
