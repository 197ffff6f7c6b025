import JOSE
import NativeSSOKit
import OpenIDKit

/// A provider of Native SSO: an OpenID provider whose logins bring device secrets, and whose token endpoint exchanges
/// them.
struct NativeSSOServer {
  let provider: OpenIDProvider

  /// - Parameters:
  ///   - refreshKey: 32 secret octets, the same on every server.
  ///   - records: the database.
  init(
    key: SigningKey, retiredKeys: [JWK], clients: some ClientDirectory, sessions: some SessionDirectory,
    refreshKey: [UInt8], records: any RecordStore
  ) throws {
    var provider = try OpenIDProvider(
      issuer: "https://op.example.com", keys: IssuerKeys(signing: key, retired: retiredKeys), clients: clients,
      sessions: sessions, refreshTokens: RefreshTokenFormat(key: refreshKey), records: records)
    provider.native = NativeSSO(settings: SettingsResolver(try NativeSSOSettings(enabled: true)))
    self.provider = provider
  }

  /// Answers what programs call: tokens, revocation, metadata, keys.
  func respond(to request: HTTPRequestValue, from address: String) async -> HTTPResponseValue? {
    await provider.respond(to: request, from: address)
  }
}
