import JOSE
import PureCrypto
import StrictJSON

/// A login that is to be answered with tokens, by a grant of the provider's own: its client is authenticated.
///
/// ```swift
/// provider.grants.append(
///   TokenEndpoint.Grant("urn:example:kiosk") { request in
///     let session = try await kiosk.session(of: request.form)
///     return try await provider.tokens(
///       for: AcceptedGrant(clientID: request.client.id, sessionID: session, scopes: ["openid"]))
///   })
/// ```
public struct AcceptedGrant: Sendable {
  /// Which grant it is.
  package enum Kind: Sendable, Hashable {
    /// A code, or another login of its own.
    case authorizationCode
    /// A refresh token, which the endpoint has found valid.
    case refreshToken
  }

  package let kind: Kind
  /// The client, authenticated.
  package let clientID: String
  /// The session of the login, which ID tokens name as `sid`.
  package let sessionID: String
  /// The scopes granted.
  package let scopes: [String]
  /// The resources that were granted (RFC 8707).
  public var resources: [String] = []
  /// The resources of this access token; nil for all of them.
  package var accessTokenResources: [String]?
  /// The authorization code, so that its tokens begin with its use and end if it comes again.
  package let code: RedeemedAuthorizationCode?
  /// The authorization request's nonce.
  package var nonce: String?
  /// The form of the token request, for additions.
  package var form: FormFields
  /// The thumbprint of the key that the client has proved possession of.
  package var confirmation: String?
  /// The claims that were asked for by name, for the userinfo endpoint.
  package var userInfo: [String] = []
  /// `acr` of the login that the refresh token came of.
  package var authenticationContext: String?
  /// What is refreshed, which knows the rest of that login.
  package var renewed: RefreshedGrant?
  /// Further claims of the ID token.
  ///
  /// What an ID token says of itself and of the login is the provider's alone, also where the provider says nothing:
  /// with `iss`, `sub`, `aud`, `exp`, `nbf`, `iat`, `jti`, `auth_time`, `nonce`, `acr`, `amr`, `azp`, `sid`, `at_hash`,
  /// `c_hash`, `s_hash`, `ds_hash`, `cnf`, `events`, `act`, `may_act` or `sub_jwk` among these the grant is answered
  /// with `server_error`, and nothing is stored.
  public var additionalClaims: JSONObject = [:]

  /// The grant of a login that the provider's own code has judged.
  ///
  /// - Parameters:
  ///   - clientID: the client, which is authenticated.
  ///   - sessionID: the session of the login, which tokens end with.
  ///   - scopes: what is granted.
  ///   - nonce: what the ID token repeats; nil for none.
  ///   - form: the token request's, where a device secret may stand.
  public init(
    clientID: String, sessionID: String, scopes: [String], nonce: String? = nil, form: FormFields = [:]
  ) {
    self.init(.authorizationCode, clientID: clientID, sessionID: sessionID, scopes: scopes, nonce: nonce, form: form)
  }

  package init(
    _ kind: Kind, clientID: String, sessionID: String, scopes: [String], nonce: String? = nil, form: FormFields = [:]
  ) {
    (self.kind, self.clientID, self.sessionID) = (kind, clientID, sessionID)
    (self.scopes, self.nonce, self.form) = (scopes, nonce, form)
    code = nil
  }

  /// An authorization code that is being redeemed. Without a session, its grant is refused.
  package init(_ code: RedeemedAuthorizationCode, form: FormFields = [:]) {
    kind = .authorizationCode
    (clientID, sessionID) = (code.grant.clientID, code.grant.sessionID ?? "")
    (scopes, nonce) = (code.grant.scopes, code.grant.nonce)
    (resources, accessTokenResources) = (code.grant.resources, code.resources)
    (self.code, self.form) = (code, form)
  }

  /// A refresh token that is being redeemed.
  package init(_ renewed: RefreshedGrant, sessionID: String, form: FormFields) {
    self.init(
      .refreshToken, clientID: renewed.grant.clientID, sessionID: sessionID, scopes: renewed.scope, form: form)
    authenticationContext = renewed.grant.authenticationContext
    self.renewed = renewed
  }
}

extension AcceptedGrant: Redacted {}
