import JOSE
import PureCrypto
import StrictJSON

/// What the token endpoint has answered to a code.
package struct RedeemedCode: Sendable {
  /// The tokens as they came.
  package let tokens: TokenAnswer
  /// What they were read from, which may have members of another protocol.
  package let object: JSONObject
  /// When they came: their lifetimes count from then.
  package let receivedAt: NumericDate
}

/// What a login has brought: tokens, and who they are about.
package struct RedeemedLogin: Sendable {
  /// What the token endpoint answered for the code.
  package let answer: RedeemedCode
  /// Its ID token, verified.
  package let verified: VerifiedJWT<JSONObject>
  let idToken: String
  let subject: String
}

/// Why a login has brought nothing, before it is said in the terms of one protocol.
package enum LoginFault: Error {
  /// The login, the redirect or the answer is not what it must be.
  case invalid(OpenIDError)
  /// The provider has answered at the redirect URI with this error code, as it wrote it.
  case refused(String)
  /// The token endpoint gave no tokens.
  case noTokens(RefreshFailure)
  /// The ID token is refused, or could not be judged.
  case idToken(JOSEError)
}

extension RedeemedCode: Redacted {}

extension RedeemedLogin: Redacted {}
