import Foundation
import JOSE
import PlatformSSOKit
import PureCrypto

/// The settings file: the provider's names, and its users.
struct Settings: Decodable, Sendable {
  /// The provider's address for Macs: `https://idp.example.com`. It is the issuer too.
  var baseURL: String
  var clientID: String
  /// The `aud` of users' keys and key requests.
  var audience: String
  /// The SSO extension and its app: `TEAMID.bundle.identifier`.
  var apps: [String]
  /// The profile's RegistrationToken, which every registration must send.
  var registrationToken: String
  /// The file with Apple's Enterprise Attestation Root CA, in PEM; without one, no attestation is asked for.
  var attestationRoots: String?
  /// Whether requests of macOS 13 are accepted, which lack claims and have the type `JWT`.
  var servesMacOS13: Bool?
  var users: [User]

  struct User: Decodable, Sendable {
    var name: String
    /// A real server stores a password hash.
    var password: String
    /// The user's permanent identifier, which no other user ever gets.
    var subject: String
    var fullName: String?
    var groups: [String]?
  }

  init(contentsOf path: String) throws {
    self = try JSONDecoder().decode(Settings.self, from: Data(contentsOf: URL(filePath: path)))
    // No ID token could be made for the user, at each login.
    for user in users where !JWTPolicy.isSubject(user.subject) {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: [], debugDescription: "the subject of \(user.name) is not 1 to 255 printable ASCII characters"))
    }
  }

  /// Which Macs may register: those with the profile's token, attested by Apple where roots are given.
  func registrationPolicy() throws -> RegistrationPolicy {
    var attestation: AttestationPolicy?
    if let path = attestationRoots {
      attestation = try AttestationPolicy(
        trust: CertificateTrust(pemRoots: String(contentsOfFile: path, encoding: .utf8), purpose: .attestation))
      attestation?.requiresDeviceIdentifiers = true
    }
    let expected = Array(registrationToken.utf8)
    return RegistrationPolicy(attestation: attestation) { registration in
      ConstantTime.equal(Array((registration.registrationToken ?? "").utf8), expected)
    }
  }
}
