import Hummingbird
import IdentityProvider
import JOSE
import JOSEHummingbird
import NativeSSOKit
import OpenIDKit
import PlatformSSOKit
import SQLStores

/// Logins of devices: Macs by Platform SSO, apps by Native SSO, and Sign in with Apple below the login page's form.
package struct DeviceLogins: ProviderExtension {
  let provider: Provider
  let macs: MacEndpoint
  let profile: MacProfile
  let apps: AppLogins
  let apple: AppleLogins?

  /// - Parameters:
  ///   - provider: its users, sessions and keys are used.
  ///   - settings: how Macs log in.
  ///   - apple: Sign in with Apple; nil for none.
  /// - Throws: `JOSEError`, also for roots that can't be read.
  package init(_ provider: Provider, macs settings: MacSettings = MacSettings(), apple: AppleSettings? = nil) throws {
    self.provider = provider
    let secrets = try MacSecrets(provider.secrets)
    let addresses = MacAddresses(issuer: provider.settings.issuer)
    profile = MacProfile(addresses: addresses, settings: settings)
    var attestation: AttestationPolicy?
    if let roots = settings.attestationRoots {
      attestation = try AttestationPolicy(
        trust: CertificateTrust(pemRoots: roots, purpose: .attestation, clock: provider.clock))
      attestation?.requiresDeviceIdentifiers = true
    }
    macs = MacEndpoint(
      settings: settings, addresses: addresses, secrets: secrets,
      host: provider, attestation: attestation,
      tickets: try Ticket(
        "platform-sso login", issuer: provider.settings.issuer, secret: secrets.tickets, clock: provider.clock))
    apps = try AppLogins(provider: provider)
    self.apple = try apple.map { try AppleLogins(provider: provider, settings: $0, secret: secrets.tickets) }
  }

  /// The profile as a file for Macs. It holds the registration token: for administrators alone.
  package var profileFile: String {
    get throws { try profile.file(registrationToken: macs.secrets.registrationToken) }
  }

  package func addRoutes(to router: Router<ProviderContext>) {
    addMacRoutes(to: router)
    apps.addRoutes(to: router)
    apple?.addRoutes(to: router)
  }

  package func adjust(_ provider: inout OpenIDProvider) { apps.adjust(&provider) }

  package var loginChoices: [LoginChoice] {
    apple == nil ? [] : [(label: "Sign in with Apple", path: AppleLogins.loginPath)]
  }

  // MARK: Ends

  package func unlinkAccounts(of userID: String) async throws {
    let accounts = provider.database.appleAccounts
    for account in try await accounts.accounts(userID: userID) {
      _ = try await accounts.unlink(subject: account.subject)
    }
  }

  /// Removes tokens and keys: the next login takes the new password. Unlock keys stay, since Macs would lose what they
  /// have wrapped with them.
  package func credentialsDidChange(of userID: String) async throws {
    try await apps.openID().revokeDeviceSecrets(userID: userID, reason: .passwordChanged)
    guard let user = try await provider.users.user(id: userID) else { return }
    try await provider.macLogins.endLogins(of: user.username, removesUserKeys: true)
  }
}
