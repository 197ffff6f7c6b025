import JOSE
import PlatformSSOKit

/// The users of an app. A server asks its database.
actor UserDirectory: CredentialDirectory {
  private var lockedUsers: Set<String> = []
  private let checkPassword: @Sendable (_ password: String, _ userName: String) async throws -> CredentialVerdict

  init(checkPassword: @escaping @Sendable (String, String) async throws -> CredentialVerdict) {
    self.checkPassword = checkPassword
  }

  func passwordVerdict(
    _ password: String, of userName: String, on device: RegisteredDevice
  ) async throws -> CredentialVerdict {
    try await checkPassword(password, userName)
  }

  /// Asked whatever proves who the user is: a refresh token and a key know nothing of a lock.
  func accountVerdict(of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    lockedUsers.contains(userName) ? .locked : .accepted
  }

  func lock(_ userName: String) { lockedUsers.insert(userName) }
}

/// A provider, and what it publishes at its `jwks` address. A server loads the key and the secret from where it keeps
/// secrets, and its records are a database.
func makeEndpoint(
  users: UserDirectory, records: any RecordStore = MemoryRecordStore()
) throws -> (endpoint: LoginEndpoint, keySet: JWKSet) {
  let idTokenKey = try SigningKey.generate(.es256, keyID: "idp-1")
  let provider = try IdentityProvider(
    configuration: IdentityProviderConfiguration(
      issuer: "https://idp.example.com", clientIDs: ["psso-client"], audience: "https://idp.example.com",
      tokenEndpointURL: "https://idp.example.com/psso/token"),
    serverNonces: ServerNonces(secret: SecretBytes.random(count: 32)), users: users, idTokenKey: idTokenKey,
    records: records)
  let answers = LoginAnswers(keyContexts: try KeyContexts(secret: SecretBytes.random(count: 32)))
  return (
    LoginEndpoint(provider: provider, answers: answers),
    JWKSet([idTokenKey.verificationKey.publicJWK].compactMap { $0 })
  )
}
