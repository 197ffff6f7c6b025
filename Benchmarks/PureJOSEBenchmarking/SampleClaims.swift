/// The claims of a typical identity token.
package struct SampleClaims: Codable, Equatable, Sendable {
  package var iss = "https://login.example.com"
  package var sub = "7f3c1f0e-4e0d-4b7e-9a55-2f6f4f1d8a01"
  package var aud = "com.example.service"
  /// In the year 2100, so that the token stays valid.
  package var exp = 4_102_444_800
  package var iat = 1_767_225_600
  package var nonce = "n-0S6_WzA2Mj-8Qv3kL9xT7Rb1Yd5Hc2"

  package init() {}
}
