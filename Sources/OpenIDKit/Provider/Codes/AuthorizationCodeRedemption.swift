import JOSE
import PureCrypto

/// A request to redeem an authorization code, whose client is known.
///
/// Source: RFC 6749 §4.1.3, RFC 7636 §4.5.
public struct AuthorizationCodeRedemption: Sendable {
  /// `code`: the code that the browser brought to the client. Secret.
  public var code: String
  /// The client, authenticated or identified.
  public var clientID: String
  /// `redirect_uri`: must be that of the authorization request, as bytes (RFC 6749 §4.1.3).
  public var redirectURI: String?
  /// `code_verifier`: what the request's `code_challenge` is the SHA-256 of (RFC 7636 §4.5). Secret.
  public var codeVerifier: String?
  /// The thumbprint of the key that the client has proved possession of with this request.
  public var keyThumbprint: String?
  /// `resource` (RFC 8707): what the access token is for; empty for what was granted.
  public var resources: [String]

  /// A token request whose fields have been read and whose client has been authenticated.
  public init(
    code: String, clientID: String, redirectURI: String? = nil, codeVerifier: String? = nil,
    keyThumbprint: String? = nil, resources: [String] = []
  ) {
    self.resources = resources
    (self.code, self.clientID, self.redirectURI) = (code, clientID, redirectURI)
    (self.codeVerifier, self.keyThumbprint) = (codeVerifier, keyThumbprint)
  }

  /// Reads a request's form. Parameters without a value are absent (RFC 6749 §3.1).
  ///
  /// - Parameters:
  ///   - form: the token request's, whose grant is `authorization_code`, doubled names kept: it may have several fields
  ///     `resource`.
  ///   - clientID: the client, authenticated or identified.
  ///   - keyThumbprint: of the key that the client has proved possession of, by DPoP say.
  /// - Throws: `ErrorCode.invalidRequest` with the parameter's name: there is no code, or another
  ///   parameter than `resource` comes more than once.
  package init(form: FormFields, clientID: String, keyThumbprint: String? = nil) throws(OpenIDError) {
    guard let code = try Self.one("code", form) else {
      throw OpenIDError(.invalidRequest, "the request has no code", name: "code")
    }
    let (redirectURI, codeVerifier) = (try Self.one("redirect_uri", form), try Self.one("code_verifier", form))
    guard form.hasUniqueNames(except: ["resource"]) else {
      throw OpenIDError(.invalidRequest, "a parameter occurs more than once")
    }
    self.init(
      code: code, clientID: clientID, redirectURI: redirectURI, codeVerifier: codeVerifier,
      keyThumbprint: keyThumbprint,
      resources: form.values("resource").filter { !$0.isEmpty })
  }

  private static func one(_ name: String, _ form: FormFields) throws(OpenIDError) -> String? {
    let values = form.values(name).filter { !$0.isEmpty }
    guard values.count <= 1 else {
      throw OpenIDError(.invalidRequest, "a parameter occurs more than once", name: name)
    }
    return values.first
  }

  /// The parameter that is not as the code demands it; nil if all are.
  ///
  /// Timing: the verifier's hash is compared in constant time.
  func fault(against grant: AuthorizationCodeGrant) -> String? {
    guard redirectURI.map({ WireName($0) }) == WireName(grant.redirectURI) else { return "redirect_uri" }
    switch (grant.codeChallenge, codeVerifier) {
    case (nil, nil): break
    case (let challenge?, let verifier?):
      guard PKCE.isValid(verifier: verifier, forChallenge: challenge) else { return "code_verifier" }
    // A verifier without a challenge: an attacker removed the challenge from the authorization request (RFC 9700
    // §4.8.2).
    default: return "code_verifier"
    }
    if let bound = grant.keyThumbprint, keyThumbprint.map({ WireName($0) }) != WireName(bound) { return "dpop_jkt" }
    return nil
  }
}

extension AuthorizationCodeRedemption: Redacted {}
