import JOSE
import AppleSignInKit

/// How the provider talks to Sign in with Apple.
package struct AppleSettings: Sendable {
  /// The website's Services ID.
  package var clientID: String
  /// The developer's team.
  package var teamID: String
  /// The key that Apple registered for client secrets, with its identifier there.
  package var key: SigningKey
  /// Apple, or a stand-in for it.
  package var service: AppleService
  /// Sends requests to it.
  package var transport: HTTPTransport

  package init(
    clientID: String, teamID: String, key: SigningKey, service: AppleService = .apple,
    transport: @escaping HTTPTransport
  ) {
    (self.clientID, self.teamID, self.key) = (clientID, teamID, key)
    (self.service, self.transport) = (service, transport)
  }
}
