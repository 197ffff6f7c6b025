import IdentityProvider
import JOSE
import PlatformSSOKit
import PureCrypto

/// Secrets derived from the key that is kept outside the database: they are the same after each restart, and on every
/// machine that has the key.
struct MacSecrets: Sendable {
  /// Makes server nonces.
  let nonces: [UInt8]
  /// Signs what browsers carry from page to page.
  let tickets: [UInt8]
  /// Encrypts unlock keys and key contexts.
  let keyContexts: KeyContexts
  /// The token in the profile, which a registration must send.
  let registrationToken: String

  init(_ secrets: ProviderSecrets) throws {
    func derived(_ purpose: String) throws -> [UInt8] {
      Array(try HMACSHA256.authenticate(Array("devices: \(purpose)".utf8), key: secrets.sealingKey))
    }
    nonces = try derived("server nonces")
    tickets = try derived("tickets")
    keyContexts = try KeyContexts(secret: SecretBytes(copying: try derived("key contexts")))
    registrationToken = Base64URL.encode(try derived("registration token").prefix(18))
  }
}
