import JOSE
import StrictJSON

/// The status list of the provider's access tokens.
///
/// Source: draft-ietf-oauth-status-list §8.
extension OpenIDProvider {
  /// Where tokens have their status; nil if the policy has no list.
  var statuses: AccessTokenStatuses? {
    guard let timeToLive = policy.statusListTimeToLive else { return nil }
    return AccessTokenStatuses(
      uri: issuer + (ProviderAddresses.paths.first { $0.key == .statusList }?.value ?? ""), timeToLive: timeToLive,
      records: records, clock: clock, cache: statusCache)
  }

  /// The list: what ended before it was made is in it.
  func statusList() async -> HTTPResponseValue {
    guard let statuses else { return .unstored(404, mediaType: nil) }
    do {
      let token = try await statuses.token(signedWith: accessTokenKey) { try await self.lasting($0) != nil }
      let age = Int(statuses.timeToLive.components.seconds) / 4
      return .document(Array(token.utf8), lifetime: age, mediaType: StatusList.mediaType)
    } catch {
      return .temporarilyUnavailable
    }
  }
}
