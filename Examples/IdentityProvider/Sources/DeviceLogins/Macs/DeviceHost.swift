import IdentityProvider
import JOSE
import PlatformSSOKit

/// What logins by Macs take from the provider: its users, its one check of passwords, its keys and its audit log.
struct DeviceHost: Sendable {
  let provider: Provider

  var clock: WallClock { provider.clock }

  /// The key that signs ID tokens now. Macs take ES256 and RS256; the former is quicker.
  func signingKey() async throws -> SigningKey { try await provider.keys.signingKey("ES256") }

  /// The check that every login goes through. A second factor has no place in a Mac's password login: users who have
  /// one log in by the browser, or by a key.
  func passwordVerdict(_ password: String, of userName: String, source: SourceAddress) async throws -> CredentialVerdict
  {
    switch try await provider.checkPassword(password, of: userName, from: source) {
    case .right(let user):
      guard user.username.utf8.elementsEqual(userName.utf8) else { return .wrong }
      return user.hasSecondFactor ? .locked : .accepted
    case .wrong: return .wrong
    // Who has to wait is told so: 401 would have the Mac ask for the password again at once.
    case .blocked: return .locked
    }
  }

  /// A user who may log in; nil for one who is not there, or disabled. Macs write the name as it stands in the account:
  /// what they hold is kept under it.
  func account(named userName: String) async throws -> User? {
    guard let user = try await provider.users.user(named: userName), user.isEnabled,
      user.username.utf8.elementsEqual(userName.utf8)
    else { return nil }
    return user
  }

  /// What ID tokens for Macs say of a user, for the profile's TokenToUserMapping and groups.
  func claims(of user: User) -> JSONObject {
    var claims: JSONObject = ["preferred_username": .string(user.username), "email": .string(user.email)]
    for name in ["name", "given_name", "family_name", "groups", "picture"] {
      if let value = user.claims[name] { claims[name] = value }
    }
    return claims
  }

  /// Writes a row of the audit log.
  func record(
    _ event: String, userName: String? = nil, device: RegisteredDevice? = nil, source: SourceAddress,
    detail: String? = nil
  ) async {
    var userID: String?
    if let userName { userID = try? await provider.users.user(named: userName)?.id }
    let parts = [device.map { "key \($0.signingKey.keyID)" }, detail].compactMap { $0 }
    await provider.audit.record(
      AuditLog.Event(
        event, user: userID, address: source, detail: parts.isEmpty ? nil : parts.joined(separator: ", ")))
  }
}
