// Apple documents these.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

public enum ASUserDetectionStatus: Int, Sendable { case unsupported, unknown, likelyReal }

/// What the system gives an app after a sign-in with Apple.
open class ASAuthorizationAppleIDCredential: NSObject {
  public let user: String
  public let state: String?
  public let identityToken: Data?
  public let authorizationCode: Data?
  public let email: String?
  public let fullName: PersonNameComponents?
  public let realUserStatus: ASUserDetectionStatus

  /// Only the system makes them; here tests do.
  public init(
    user: String, state: String?, identityToken: Data?, authorizationCode: Data?, email: String?,
    fullName: PersonNameComponents?, realUserStatus: ASUserDetectionStatus
  ) {
    self.user = user
    self.state = state
    self.identityToken = identityToken
    self.authorizationCode = authorizationCode
    self.email = email
    self.fullName = fullName
    self.realUserStatus = realUserStatus
  }
}
