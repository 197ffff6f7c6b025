import PureCrypto
import JOSE
import OpenIDKit
import StrictJSON

/// The request with which a second app turns the vendor's pair into tokens of its own.
///
/// Descriptions show no credential.
/// Source: RFC 8693 §2.1, OpenID Connect Native SSO 1.0 §4.
package struct TokenExchangeRequest: Sendable, Redacted {
  /// `client_id`; absent when client authentication alone names the client.
  var clientID: String?
  /// `audience`: the provider's issuer identifier, in the standard profile.
  var audiences: [String] = []
  var resources: [String] = []
  /// `subject_token`: the ID token.
  var subjectToken: String
  var subjectTokenType = TokenTypeIdentifier.idToken
  /// `actor_token`: the device secret. Absent only in a generic exchange.
  var actorToken: DeviceSecret?
  var actorTokenType: WireName?
  var scope: String?
  var requestedTokenType: WireName?

  /// A request of the standard profile.
  package init(
    clientID: String?, idToken: String, deviceSecret: DeviceSecret, audience: String? = nil, scope: String? = nil,
    actorTokenType: WireName = TokenTypeIdentifier.deviceSecret, requestedTokenType: WireName? = nil
  ) {
    (self.clientID, audiences, subjectToken) = (clientID, audience.map { [$0] } ?? [], idToken)
    (actorToken, self.actorTokenType) = (deviceSecret, actorTokenType)
    (self.scope, self.requestedTokenType) = (scope, requestedTokenType)
  }

  /// The form fields, in the order of the specification.
  package var form: FormFields {
    var form: FormFields = ["grant_type": GrantType.tokenExchange]
    if let clientID { form.append("client_id", clientID) }
    for audience in audiences { form.append("audience", audience) }
    for resource in resources { form.append("resource", resource) }
    form.append("subject_token", subjectToken)
    form.append("subject_token_type", subjectTokenType.text)
    if let actorToken { form.append("actor_token", actorToken.reveal()) }
    if let actorTokenType { form.append("actor_token_type", actorTokenType.text) }
    if let requestedTokenType { form.append("requested_token_type", requestedTokenType.text) }
    if let scope { form.append("scope", scope) }
    return form
  }

  /// Reads the fields of a request. Only `audience` and `resource` may repeat.
  ///
  /// - Throws: `invalid_request`.
  package init(form: FormFields) throws(OAuthErrorResponse) {
    func value(_ name: String) throws(OAuthErrorResponse) -> String? {
      let values = form.values(name)
      guard values.count <= 1 else { throw .malformed }
      // RFC 6749 §3.1: a parameter without a value is treated as if it were omitted.
      return values.first.flatMap { $0.isEmpty ? nil : $0 }
    }
    func name(_ name: String) throws(OAuthErrorResponse) -> WireName? { try value(name).map { WireName($0) } }
    guard let subjectToken = try value("subject_token"), let subjectTokenType = try name("subject_token_type") else {
      throw OAuthErrorResponse(.invalidRequest, "subject_token and subject_token_type are required")
    }
    (self.subjectToken, self.subjectTokenType) = (subjectToken, subjectTokenType)
    clientID = try value("client_id")
    (audiences, resources) = (form.values("audience"), form.values("resource"))
    let actorToken = try value("actor_token")
    actorTokenType = try name("actor_token_type")
    guard (actorToken == nil) == (actorTokenType == nil) else {
      throw OAuthErrorResponse(.invalidRequest, "actor_token and actor_token_type come together")
    }
    if let actorToken {
      guard let secret = try? DeviceSecret(actorToken) else { throw .malformed }
      self.actorToken = secret
    }
    scope = try value("scope")
    requestedTokenType = try name("requested_token_type")
  }
}
