import IdentityProvider

/// Logins of devices: Macs by Platform SSO, apps by Native SSO, and Sign in with Apple above the login page.
package struct DeviceLogins: ProviderExtension {
  let provider: Provider

  package init(_ provider: Provider) {
    self.provider = provider
  }
}
