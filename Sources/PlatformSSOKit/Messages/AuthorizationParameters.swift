import JOSE
import StrictJSON

/// What an authorization request asks for (macOS 27): the object `authorizationRequest` of a preauthentication
/// response, which the device signs and posts.
///
/// Source: Apple, Implementing web-based authentication with Platform Single Sign-on.
public struct AuthorizationParameters: Sendable, Hashable {
  /// `client_id`: that of the Mac's login configuration.
  public var clientID: String
  /// `nonce`: the provider's, which shows that the request is fresh.
  public var nonce: String
  /// `redirect_uri`: always ``callbackURL``.
  public var redirectURI: String
  /// `response_type`: always `code`, the one way that Platform SSO has.
  package var responseType: String
  /// `scope`: scope values between spaces, among them what the login is for, see ``AuthorizationScope``.
  public var scope: String
  /// `state`, which the browser brings back.
  public var state: String

  /// Where the browser returns to.
  public static let callbackURL = "com.apple.platformsso://callback"

  /// The parameters of a request.
  public init(
    clientID: String, nonce: String, redirectURI: String = callbackURL, responseType: String = "code", scope: String,
    state: String
  ) {
    (self.clientID, self.nonce, self.redirectURI, self.responseType) = (clientID, nonce, redirectURI, responseType)
    (self.scope, self.state) = (scope, state)
  }

  /// Reads the object or the claims.
  ///
  /// The scheme of `redirect_uri` is compared without regard to case: early systems write `com.apple.PlatformSSO`.
  init(_ members: MessageMembers) throws(JOSEError) {
    self.init(
      clientID: try members.nonEmptyString("client_id"), nonce: try members.nonEmptyString("nonce"),
      redirectURI: try members.string("redirect_uri"), responseType: try members.string("response_type"),
      scope: try members.string("scope"), state: try members.nonEmptyString("state"))
    guard let uri = try? URIComponents(parsing: redirectURI), uri.isPlatformSSOCallback, uri.query == nil else {
      throw members.mismatch("redirect_uri")
    }
    guard WireName(responseType) == "code" else { throw members.mismatch("response_type") }
  }

  /// The object's members, which are the claims too.
  var jsonObject: JSONObject {
    [
      "client_id": .string(clientID), "nonce": .string(nonce), "redirect_uri": .string(redirectURI),
      "response_type": .string(responseType), "scope": .string(scope), "state": .string(state),
    ]
  }
}

extension URIComponents {
  /// Whether this is ``AuthorizationParameters/callbackURL``, the query aside.
  var isPlatformSSOCallback: Bool {
    hasScheme("com.apple.platformsso") && host?.hasSameBytesIgnoringASCIICase(as: "callback") == true
      && userInfo == nil && port == nil && fragment == nil && (path.isEmpty || WireName(path) == "/")
  }
}
