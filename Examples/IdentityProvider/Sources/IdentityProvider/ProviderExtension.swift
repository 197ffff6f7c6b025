import Hummingbird
import JOSE
import OpenIDKit

/// An addition to the provider: devices, apps, other providers to log in with.
package protocol ProviderExtension: Sendable {
  /// Adds routes of its own.
  func addRoutes(to router: Router<ProviderContext>)

  /// Adds to the provider of the protocol: grants, device secrets.
  func adjust(_ provider: inout OpenIDProvider)

  /// Other ways to log in, which the login page shows below its form.
  var loginChoices: [LoginChoice] { get }

  /// The devices of a user, or of all.
  func devices(of userID: String?) async throws -> [ProviderDevice]

  /// Revokes a device's logins. False if it doesn't know the device, or `userID` is given and the device is another
  /// user's.
  func revokeDevice(_ id: String, of userID: String?) async throws -> Bool

  /// A user was disabled or signed out, or has changed the password: ends all logins that don't need it.
  func credentialsDidChange(of userID: String) async throws

  /// Unlinks the user's accounts at other providers.
  func unlinkAccounts(of userID: String) async throws
}

/// Another way to log in: the link's text and path. The name of the waiting authorization request is added as
/// `?request=`.
package typealias LoginChoice = (label: String, path: String)

/// A Mac, a phone or another device with logins of its own.
package struct ProviderDevice: Sendable {
  package let id: String
  /// `Platform SSO`, `Native SSO`.
  package let kind: String
  package let name: String
  package let userID: String?
  package let registeredAt: NumericDate
  package let lastUsedAt: NumericDate?
  package let isActive: Bool
  /// How a Mac is known, and by which key: `attested, key …` or `claimed, key …`. Names may look alike, but keys
  /// don't.
  package let identity: String?

  package init(
    id: String, kind: String, name: String, userID: String?, registeredAt: NumericDate, lastUsedAt: NumericDate?,
    isActive: Bool, identity: String? = nil
  ) {
    (self.id, self.kind, self.name, self.userID) = (id, kind, name, userID)
    (self.registeredAt, self.lastUsedAt, self.isActive) = (registeredAt, lastUsedAt, isActive)
    self.identity = identity
  }
}
