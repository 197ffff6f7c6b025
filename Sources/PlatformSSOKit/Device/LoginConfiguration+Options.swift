import PureCrypto
import StrictJSON

/// A further field of a form or query.
public struct CustomValue: Sendable, Hashable {
  /// The field's name.
  public var name: String
  /// The field's value.
  public var value: String

  /// A field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A question about a JSON response, such as NSPredicate text asks in a login configuration.
public struct ResponsePredicate: Sendable {
  private let evaluate: @Sendable (JSONObject) -> Bool

  /// A predicate that a closure answers.
  public init(_ evaluate: @escaping @Sendable (JSONObject) -> Bool) {
    self.evaluate = evaluate
  }

  /// A predicate that holds if each member named here has this value in the response. Names may be joined by dots.
  public init(matching members: JSONObject) {
    evaluate = { response in members.members.allSatisfy { response.value(atKeyPath: $0.name) == $0.value } }
  }

  func callAsFunction(_ object: JSONObject) -> Bool { evaluate(object) }
}

/// The SDK that an SSO extension was built with.
public enum ExtensionSDK: Sendable, Hashable {
  /// `typ` is `JWT` in login requests and assertions, and the form field is `request`.
  case macOS13
  /// Messages have types of their own, and the form field is `assertion`.
  case macOS14OrLater
}

/// How the JSON of signed messages is written. Receivers must not care.
public enum MessageText: Sendable, Hashable {
  /// Without white space.
  case compact
  /// As a Mac writes it: indented by two spaces, with a space on either side of a colon.
  case foundation
}

/// How it is found out whether a user logs in by a browser. The types of WS-Trust are left out.
public enum FederationType: Sendable, Hashable {
  /// No provider is known that does.
  case none
  /// Everybody does, at one address (macOS 27).
  case openID
  /// A preauthentication request tells, and where (macOS 27).
  case dynamicOpenID
}

/// How an embedded assertion is encrypted (macOS 15).
public enum LoginRequestEncryptionAlgorithm: Sendable, Hashable {
  /// ECDH-ES with A256GCM: Apple's `ECDHE-A256GCM`, the default.
  case ecdheA256GCM
  /// Any suite of HPKE, whose layout in Platform SSO is not documented.
  case hpke
}

/// What a login configuration without a refresh endpoint means.
public enum RefreshWithoutEndpoint: Sendable, Hashable {
  /// Refresh requests go to the token endpoint, as the SDK header says.
  case tokenEndpoint
  /// There is no refresh, as the article says.
  case fullLogin
}

/// What `aud` of a refresh request names.
public enum RefreshAudience: Sendable, Hashable {
  /// The address that the request goes to.
  case refreshEndpoint
  /// The token endpoint, wherever the request goes.
  case tokenEndpoint
}

/// Which of two custom claims of one name counts.
public enum CustomClaimPrecedence: Sendable, Hashable {
  /// The one of the user's login configuration.
  case user
  /// The one of the device's login configuration.
  case device
}

/// What to do with a response whose coordinates or shared secret lack leading zeros, as about one in 150 of a known
/// server's does.
public enum ShortCoordinates: Sendable, Hashable {
  /// They are refused.
  case refused
  /// They are filled up on the left to 32 octets. The point is checked as always; longer values are refused as always.
  /// PartyUInfo then enters the key derivation as received, since the sender's own octets entered its derivation.
  case leftPadded
}

/// What the user's own login configuration adds.
///
/// Where its custom claims and the device's have one name, ``LoginConfiguration/customClaimPrecedence`` decides.
public struct UserLoginConfiguration: Sendable {
  /// The user's name at the identity provider: `username` and `sub` of requests.
  public var loginUserName: String
  /// Custom claims of both kinds of embedded assertion.
  public var customAssertionRequestClaims = CustomClaims()
  /// Custom claims of the login request.
  public var customLoginRequestClaims = CustomClaims()

  /// A user without custom claims.
  public init(loginUserName: String) {
    self.loginUserName = loginUserName
  }
}

extension CustomValue: Redacted {
  /// The name. Never the value, which may be a device's token.
  public var description: String { name }
}
