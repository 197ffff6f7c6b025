import OpenIDKit
import StrictJSON

/// Source: OpenID Connect Native SSO 1.0 §7.
extension OpenIDProviderMetadata {
  /// Whether the discovery document announces Native SSO, by the draft's flag or by one of the SDK profile; nil without
  /// a document.
  public var announcesNativeSSO: Bool? {
    guard !members.isEmpty else { return nil }
    return announcesDeviceSSOScope || isTrue("native_sso_token_exchange_supported")
  }

  /// Whether the flag is there that promises the draft's own scope.
  package var announcesDeviceSSOScope: Bool { isTrue("native_sso_supported") || isTrue("native_sso_support") }

  /// Only `true` itself counts: a string "true" is not a flag.
  private func isTrue(_ name: String) -> Bool { members[name]?.boolValue == true }
}
