import JOSE
import PureCrypto
import StrictJSON

/// What an authorization code stands for: what a login has granted to a client, and how the code is to be presented.
///
/// Source: RFC 6749 §4.1.2, RFC 7636 §4.4, RFC 9449 §10, OpenID Connect Core 1.0 §3.1.2.5.
public struct AuthorizationCodeGrant: Sendable, Equatable {
  /// The client that the code is for.
  public var clientID: String
  /// `redirect_uri` of the authorization request, which the token request repeats.
  public var redirectURI: String
  /// The granted scope values.
  public var scopes: [String]
  /// The granted resources (RFC 8707).
  public var resources: [String]
  /// The provider's name for the user who logged in, `sub` of the tokens; nil where no user is concerned.
  public var subject: String?
  /// The session at the provider.
  public var sessionID: String?
  /// `nonce`, which the ID token repeats.
  public var nonce: String?
  /// `code_challenge` of the method S256; nil if there was none, and then there must be no verifier.
  public var codeChallenge: String?
  /// `dpop_jkt`: the thumbprint of the key whose possession is to be proved with the code.
  public var keyThumbprint: String?
  /// The grant's name, to be written into the refresh tokens' families and the access tokens that come of it, so that
  /// they can end with it: ``RefreshGrant/grantID``, ``AccessTokenSelection/grant(_:)``. Not secret.
  public var id: String
  /// What else the provider has to know when it makes the tokens, such as the claims that were asked for.
  public var additionalMembers: JSONObject

  /// A grant.
  ///
  /// - Parameters:
  ///   - clientID: the client that the code is for.
  ///   - redirectURI: of the authorization request.
  ///   - scopes: the granted scope values.
  ///   - resources: the granted resources.
  ///   - subject: the user.
  ///   - sessionID: the session at the provider.
  ///   - nonce: of the authorization request.
  ///   - codeChallenge: of the method S256.
  ///   - keyThumbprint: `dpop_jkt`.
  ///   - id: the grant's name; nil for a new one of 128 random bits.
  ///   - additionalMembers: the provider's own.
  public init(
    clientID: String, redirectURI: String, scopes: [String], resources: [String] = [], subject: String? = nil,
    sessionID: String? = nil, nonce: String? = nil, codeChallenge: String? = nil, keyThumbprint: String? = nil,
    id: String? = nil,
    additionalMembers: JSONObject = [:]
  ) {
    (self.clientID, self.redirectURI, self.scopes) = (clientID, redirectURI, scopes)
    self.resources = resources
    (self.subject, self.sessionID, self.nonce) = (subject, sessionID, nonce)
    (self.codeChallenge, self.keyThumbprint) = (codeChallenge, keyThumbprint)
    self.id = id ?? Base64URL.encode(SystemRandom.bytes(count: 16))
    self.additionalMembers = additionalMembers
  }

  /// What is granted to who asked for it, as a whole.
  ///
  /// - Parameters:
  ///   - request: that of the client.
  ///   - subject: who has logged in.
  ///   - sessionID: the session at the provider.
  ///   - additionalMembers: the provider's own.
  public init(
    _ request: OAuthAuthorizationRequest, subject: String? = nil, sessionID: String? = nil,
    additionalMembers: JSONObject = [:]
  ) {
    self.init(
      clientID: request.clientID, redirectURI: request.redirectURI, scopes: request.scopes,
      resources: request.resources, subject: subject, sessionID: sessionID, nonce: request.nonce,
      codeChallenge: request.codeChallenge,
      keyThumbprint: request.keyThumbprint, additionalMembers: additionalMembers)
  }
}

extension AuthorizationCodeGrant {
  var jsonObject: JSONObject {
    var object: JSONObject = [
      "id": .string(id), "client": .string(clientID), "redirectURI": .string(redirectURI),
      "scopes": .array(scopes.map { .string($0) }),
    ]
    for case (let name, let value?) in [
      ("subject", subject), ("session", sessionID), ("nonce", nonce), ("codeChallenge", codeChallenge),
      ("keyThumbprint", keyThumbprint),
    ] {
      object[name] = .string(value)
    }
    if !resources.isEmpty { object["resources"] = .array(resources.map { .string($0) }) }
    if !additionalMembers.members.isEmpty { object["additional"] = .object(additionalMembers) }
    return object
  }

  init(_ object: JSONObject) throws(JSONError) {
    self.init(
      clientID: try object.string("client"), redirectURI: try object.string("redirectURI"),
      scopes: try StoredJSON.strings(object["scopes"]),
      resources: try object["resources"].map { value throws(JSONError) in try StoredJSON.strings(value) } ?? [],
      subject: try object.string(ifPresent: "subject"),
      sessionID: try object.string(ifPresent: "session"), nonce: try object.string(ifPresent: "nonce"),
      codeChallenge: try object.string(ifPresent: "codeChallenge"),
      keyThumbprint: try object.string(ifPresent: "keyThumbprint"), id: try object.string("id"),
      additionalMembers: try object.object(ifPresent: "additional") ?? [:])
  }
}

extension AuthorizationCodeGrant: Redacted {}
