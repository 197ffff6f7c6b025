/// What the user's own login configuration adds.
///
/// Where its custom claims and the device's have one name, the user's count by default.
public struct UserLoginConfiguration: Sendable {
  /// The user's name at the identity provider: `username` and `sub` of requests.
  public var loginUserName: String
  package var customAssertionRequestClaims: CustomClaims
  package var customLoginRequestClaims: CustomClaims

  /// A user, by default without custom claims.
  ///
  /// - Parameters:
  ///   - loginUserName: the user's name at the identity provider.
  ///   - customAssertionRequestClaims: custom claims of both kinds of embedded assertion.
  ///   - customLoginRequestClaims: custom claims of the login request.
  public init(
    loginUserName: String, customAssertionRequestClaims: CustomClaims = CustomClaims(),
    customLoginRequestClaims: CustomClaims = CustomClaims()
  ) {
    self.loginUserName = loginUserName
    self.customAssertionRequestClaims = customAssertionRequestClaims
    self.customLoginRequestClaims = customLoginRequestClaims
  }
}
