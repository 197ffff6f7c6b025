import JOSE
import PureCrypto
import StrictJSON
import OpenIDKit

extension NativeSSO {
  package func addition(
    to login: AcceptedLogin, of provider: OpenIDProvider
  ) async throws(OAuthErrorResponse) -> TokenAddition? {
    let settings = try await OAuthErrorResponse.askingStore { try await self.settings.settings() }
    let issuing = DeviceSecretLogin(native: self, provider: provider, settings: settings, login: login)
    guard let held = try await issuing.secret() else { return nil }
    return TokenAddition(
      deviceSecretID: held.id, members: ["device_secret": .string(held.secret.reveal())],
      bind: { draft, algorithm throws(OAuthErrorResponse) in try bind(held.secret, to: &draft, algorithm) },
      withdraw: {
        // No app hears of it: it must neither serve nor count among the user's.
        guard held.isStoredNow else { return }
        _ = try? await provider.deviceSecretRecords.revoke(id: held.id, reason: .notIssued, now: login.now)
      })
  }

  /// Writes `ds_hash`.
  func bind(
    _ secret: DeviceSecret, to draft: inout IDTokenDraft, _ algorithm: SignatureAlgorithm
  ) throws(OAuthErrorResponse) {
    guard let hash = policy.dsHash.value(of: secret, signatureAlgorithm: algorithm.name) else { throw .serverFault }
    draft.deviceSecretHash = hash
  }
}
