import StrictJSON

/// The token type identifiers of the token exchange that Native SSO knows.
///
/// Source: RFC 8693 §3, OpenID Connect Native SSO 1.0 §4.
package enum TokenTypeIdentifier {
  package static let accessToken: WireName = "urn:ietf:params:oauth:token-type:access_token"
  package static let idToken: WireName = "urn:ietf:params:oauth:token-type:id_token"
  /// An ID token, as a non-normative example of draft 07 misspelt it. Never sent.
  package static let misspelledIDToken: WireName = "urn:ietf:params:oauth:token-type:id-token"
  package static let deviceSecret: WireName = "urn:openid:params:token-type:device-secret"
  /// A device secret, as drafts up to 06 spelt it.
  package static let legacyDeviceSecret: WireName = "urn:x-oath:params:oauth:token-type:device-secret"
}
