/// What the user's own login configuration adds.
///
/// Where its custom claims and the device's have one name, the user's count by default.
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
