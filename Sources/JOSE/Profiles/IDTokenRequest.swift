/// What a login asked for, and what came beside its ID token: the token must answer it.
///
/// ```swift
/// var request = IDTokenRequest(nonce: session.nonce)
/// request.maximumAuthenticationAge = .seconds(3600)
/// request.accessToken = response.accessToken
/// ```
///
/// An ID token that came with a refresh answers no login: that is ``refresh``, with the policy's ``JWTPolicy/subject``
/// set to the account's.
///
/// Source: OpenID Connect Core 1.0 §3.1.3.7, §3.2.2.9, §3.3.2.12, §12.2.
public struct IDTokenRequest: Sendable {
  /// The `nonce` that was sent, which the token must repeat; nil if none was sent, and then the token must have none.
  public var nonce: String?
  /// Whether a token needs the nonce that was sent, and no token may have one where none was.
  package var requiresNonce = true
  /// `max_age` as it was sent: `auth_time` must be there and no older. Nil if it wasn't.
  public var maximumAuthenticationAge: Duration?
  /// The values of `acr`, one of which the token must have. Empty: any value.
  public var authenticationContexts: [String] = []
  /// The access token that came with the ID token. An `at_hash` must be this one's.
  public var accessToken: String?
  /// Whether `at_hash` must be there, as in the implicit and the hybrid flow.
  public var requiresAccessTokenHash = false
  /// The code that came with the ID token from the authorization endpoint (hybrid flow): `c_hash` must be there and be
  /// this one's.
  public var code: String?
  /// Whether `c_hash` must be there where ``code`` is given, as in the hybrid flow.
  package var requiresCodeHash = true
  /// The `state` of the request, where `s_hash` must be there and be this one's. Nil where it isn't used.
  public var state: String?
  /// Audiences beside the client that the token may name.
  public var trustedAudiences: [String] = []
  /// Values of `azp` beside the client's, such as the app for which a server's ID token was made.
  public var authorizedParties: [String] = []

  /// A login in which this `nonce` was sent, or none.
  public init(nonce: String?) { self.nonce = nonce }

  /// A refresh or an exchange of tokens, which sends no nonce. The token may have the login's, which the caller
  /// compares.
  public static var refresh: IDTokenRequest {
    var request = IDTokenRequest(nonce: nil)
    request.requiresNonce = false
    return request
  }
}
