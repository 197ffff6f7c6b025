import PureCrypto
import JOSE
import StrictJSON

/// The reference to an authorization request that was pushed to the server.
///
/// Source: RFC 9126 §2.2, §4.
public struct PushedAuthorization: Sendable, Hashable {
  /// `request_uri`: good once, for a short time.
  public let requestURI: String
  /// `expires_in`: for how long.
  public let expiresIn: Duration
  /// The client that pushed it.
  public let clientID: String

  /// A reference that a provider gives: the members of its answer, and whose request it stands for.
  public init(requestURI: String, expiresIn: Duration, clientID: String) {
    self.requestURI = requestURI
    self.expiresIn = expiresIn
    self.clientID = clientID
  }

  /// Reads the server's answer.
  ///
  /// - Throws: `ErrorCode.answerMalformed`.
  init(parsing body: [UInt8], clientID: String) throws(OpenIDError) {
    guard let object = try? JSONObject(parsing: body, limits: OAuthAnswer.limits),
      let requestURI = object["request_uri"]?.stringValue, !requestURI.isEmpty, requestURI.utf8.count <= 2048,
      requestURI.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let expiresIn = object["expires_in"].flatMap(OAuthAnswer.seconds),
      expiresIn.isFinite, Duration(saturating: expiresIn) > .zero
    else { throw OpenIDError(.answerMalformed, "the response has no request_uri", name: "request_uri") }
    self.init(requestURI: requestURI, expiresIn: Duration(saturating: expiresIn), clientID: clientID)
  }

  /// Where to send the browser: the authorization endpoint with `client_id` and the reference, and nothing else.
  ///
  /// - Throws: `ErrorCode.settingInvalid` if the endpoint is not a URL.
  public func url(of authorizationEndpoint: String) throws(OpenIDError) -> String {
    guard let endpoint = try? URIComponents(parsing: authorizationEndpoint) else {
      throw OpenIDError(.settingInvalid, "the endpoint is not a URL", name: "authorization_endpoint")
    }
    return endpoint.appendingQuery(["client_id": clientID, "request_uri": requestURI])
  }
}

extension PushedAuthorization: Redacted {}
