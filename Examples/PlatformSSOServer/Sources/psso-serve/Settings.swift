import Foundation

/// The file that says who the provider is, and who its users are.
struct Settings: Decodable, Sendable {
  /// Where Macs find the provider: `https://idp.example.com`. It is the issuer too.
  var baseURL: String
  var clientID: String
  /// What users' keys and key requests name as `aud`.
  var audience: String
  /// The SSO extension and its app: `TEAMID.bundle.identifier`.
  var apps: [String]
  /// The profile's RegistrationToken, without which no Mac is registered.
  var registrationToken: String
  /// The file with Apple's Enterprise Attestation Root CA, in PEM; without one, no attestation is asked for.
  var attestationRoots: String?
  /// Whether requests of macOS 13 are taken, which lack claims and have the type `JWT`.
  var servesMacOS13: Bool?
  var users: [User]

  struct User: Decodable, Sendable {
    var name: String
    /// A server of your own keeps a password hash.
    var password: String
    /// The user's name for good, which no other user ever gets.
    var subject: String
    var fullName: String?
    var groups: [String]?
  }

  init(contentsOf path: String) throws {
    self = try JSONDecoder().decode(Settings.self, from: Data(contentsOf: URL(filePath: path)))
  }
}
