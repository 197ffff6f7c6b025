/// The claims of a typical identity token.
public struct SampleClaims: Codable, Equatable, Sendable {
  /// The issuer.
  public var iss = "https://login.example.com"
  /// The subject.
  public var sub = "7f3c1f0e-4e0d-4b7e-9a55-2f6f4f1d8a01"
  /// The audience.
  public var aud = "com.example.service"
  /// In the year 2100, so that the token stays valid.
  public var exp = 2_000_000_000
  /// When it was issued.
  public var iat = 1_767_225_600
  /// A value of the usual length.
  public var nonce = "n-0S6_WzA2Mj-8Qv3kL9xT7Rb1Yd5Hc2"

  /// The claims that every row uses.
  public init() {}
}
