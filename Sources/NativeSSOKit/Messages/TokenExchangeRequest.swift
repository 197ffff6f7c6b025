import PureCrypto
import JOSE
import StrictJSON

/// The request with which a second app turns the vendor's pair into tokens of its own.
///
/// Descriptions show no credential.
/// Source: RFC 8693 §2.1, OpenID Connect Native SSO 1.0 §4.
public struct TokenExchangeRequest: Sendable {
  /// `client_id`; absent when client authentication alone names the client.
  public var clientID: String?
  /// `audience`: the provider's issuer identifier, in the standard profile.
  public var audiences: [String] = []
  /// `resource`.
  public var resources: [String] = []
  /// `subject_token`: the ID token.
  public var subjectToken: String
  /// `subject_token_type`.
  public var subjectTokenType: TokenTypeIdentifier
  /// `actor_token`: the device secret. Absent only in a generic exchange.
  public var actorToken: DeviceSecret?
  /// `actor_token_type`.
  public var actorTokenType: TokenTypeIdentifier?
  /// `scope`.
  public var scope: String?
  /// `requested_token_type`.
  public var requestedTokenType: TokenTypeIdentifier?

  /// A request of the standard profile.
  public init(
    clientID: String?, idToken: String, deviceSecret: DeviceSecret, audience: String? = nil, scope: String? = nil,
    actorTokenType: TokenTypeIdentifier = .deviceSecret, requestedTokenType: TokenTypeIdentifier? = nil
  ) {
    self.clientID = clientID
    audiences = audience.map { [$0] } ?? []
    subjectToken = idToken
    subjectTokenType = .idToken
    actorToken = deviceSecret
    self.actorTokenType = actorTokenType
    self.scope = scope
    self.requestedTokenType = requestedTokenType
  }

  /// The form fields, in the order of the specification.
  public var form: FormFields {
    var form: FormFields = ["grant_type": GrantType.tokenExchange]
    if let clientID { form.append("client_id", clientID) }
    for audience in audiences { form.append("audience", audience) }
    for resource in resources { form.append("resource", resource) }
    form.append("subject_token", subjectToken)
    form.append("subject_token_type", subjectTokenType.description)
    if let actorToken { form.append("actor_token", actorToken.reveal()) }
    if let actorTokenType { form.append("actor_token_type", actorTokenType.description) }
    if let requestedTokenType { form.append("requested_token_type", requestedTokenType.description) }
    if let scope { form.append("scope", scope) }
    return form
  }

  /// Reads the fields of a request. Only `audience` and `resource` may repeat.
  ///
  /// - Throws: `invalid_request`.
  public init(form: FormFields) throws(OAuthErrorResponse) {
    func value(_ name: String) throws(OAuthErrorResponse) -> String? {
      let values = form.values(name)
      guard values.count <= 1 else { throw .malformed }
      // RFC 6749 §3.1: a parameter without a value is treated as if it were omitted.
      return values.first.flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let subjectToken = try value("subject_token"), let subjectTokenType = try value("subject_token_type") else {
      throw OAuthErrorResponse(.invalidRequest, "subject_token and subject_token_type are required")
    }
    clientID = try value("client_id")
    audiences = form.values("audience")
    resources = form.values("resource")
    self.subjectToken = subjectToken
    self.subjectTokenType = TokenTypeIdentifier(subjectTokenType)
    let actorToken = try value("actor_token")
    actorTokenType = try value("actor_token_type").map { TokenTypeIdentifier($0) }
    guard (actorToken == nil) == (actorTokenType == nil) else {
      throw OAuthErrorResponse(.invalidRequest, "actor_token and actor_token_type come together")
    }
    if let actorToken {
      guard let secret = try? DeviceSecret(actorToken) else { throw .malformed }
      self.actorToken = secret
    }
    scope = try value("scope")
    requestedTokenType = try value("requested_token_type").map { TokenTypeIdentifier($0) }
  }
}

extension OAuthErrorResponse {
  /// The request is not a legal form.
  static var malformed: OAuthErrorResponse { OAuthErrorResponse(.invalidRequest, "The request is malformed") }
}

extension TokenExchangeRequest: Redacted {}
