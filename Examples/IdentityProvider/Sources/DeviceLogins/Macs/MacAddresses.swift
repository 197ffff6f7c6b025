import JOSE
import PlatformSSOKit

/// The paths that Macs use, under the issuer.
struct MacAddresses: Sendable {
  let issuer: String

  static let association = "/.well-known/apple-app-site-association"
  static let nonce = "/psso/nonce"
  static let token = "/psso/token"
  static let key = "/psso/key"
  static let discovery = "/psso/discovery"
  static let authorization = "/psso/authorize"
  static let continuation = "/psso/continue"
  static let registration = "/psso/register"
  static let userRegistration = "/psso/register/user"

  /// The configuration that the extension sets.
  func loginConfiguration(_ settings: MacSettings) -> LoginConfiguration {
    var configuration = LoginConfiguration(
      clientID: settings.clientID, issuer: issuer, audience: issuer, tokenEndpointURL: issuer + Self.token,
      jwksEndpointURL: issuer + "/jwks")
    configuration.nonceEndpointURL = issuer + Self.nonce
    configuration.refreshEndpointURL = issuer + Self.token
    configuration.keyEndpointURL = issuer + Self.key
    configuration.federationUserPreauthenticationURL = issuer + Self.discovery
    configuration.apply(settings.preset)
    if settings.method == .openID {
      configuration.isFederated = { $0["account_type"] == "Federated" }
    }
    return configuration
  }

  /// The same, as the provider expects it.
  func providerConfiguration(_ settings: MacSettings) -> IdentityProviderConfiguration {
    var configuration = IdentityProviderConfiguration(
      issuer: issuer, clientIDs: [settings.clientID], audience: issuer, tokenEndpointURL: issuer + Self.token)
    configuration.refreshEndpointURL = issuer + Self.token
    configuration.preauthenticationURL = issuer + Self.discovery
    configuration.bindsServerNonces = true
    configuration.apply(settings.preset)
    return configuration
  }
}
