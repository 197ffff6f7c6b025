import Hummingbird
import JOSE
import NativeSSOKit
import OpenIDKit

/// What another part of the server adds to the provider: devices, apps, other providers above its login page.
package protocol ProviderExtension: Sendable {
  /// Members that the discovery document gets.
  func discoveryMembers() async throws -> JSONObject

  /// Adds routes of its own.
  func addRoutes(to router: Router<ProviderContext>)

  /// Grants that the token endpoint gets.
  var grants: [TokenEndpoint.Grant] { get }

  /// Changes how logins get device secrets, before each use: settings, policy, stores.
  func adjust(_ native: inout NativeSSOProvider)

  /// Other ways to log in, which the login page shows below its form.
  var loginChoices: [LoginChoice] { get }

  /// The devices of a user, or of all.
  func devices(of userID: String?) async throws -> [ProviderDevice]

  /// Takes a device's logins away. False if it has no such device, or `userID` is given and it is another user's.
  func revokeDevice(_ id: String, of userID: String?) async throws -> Bool

  /// A user was disabled or signed out, or has changed the password: whatever logs in without it ends.
  func credentialsDidChange(of userID: String) async throws

  /// Accounts elsewhere stand for the user no more.
  func unlinkAccounts(of userID: String) async throws
}

/// Another way to log in: what the link says, and where it leads. The name of the waiting authorization request is
/// added as `?request=`.
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

  package init(
    id: String, kind: String, name: String, userID: String?, registeredAt: NumericDate, lastUsedAt: NumericDate?,
    isActive: Bool
  ) {
    (self.id, self.kind, self.name, self.userID) = (id, kind, name, userID)
    (self.registeredAt, self.lastUsedAt, self.isActive) = (registeredAt, lastUsedAt, isActive)
  }
}
