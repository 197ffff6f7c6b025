import JOSE
import OpenIDKit

/// Which clients may share a login, other than a client with itself.
public enum SharingPolicy: Sendable {
  /// Those with the same `RegisteredClient.group`.
  case group
  /// If the setting `allowCrossClientNativeSSO` is on and both have
  /// `RegisteredClient.allowsCrossClient`.
  case pairwiseConsent
  /// Those whose names stand in one of these lists.
  case lists([[String]])

  /// Whether `client` may use a login of `original`.
  func allows(_ client: RegisteredClient, loginOf original: RegisteredClient, _ settings: NativeSSOSettings) -> Bool {
    switch self {
    case .group:
      guard let mine = client.group, let theirs = original.group, !mine.isEmpty else { return false }
      return WireName(mine) == theirs
    case .pairwiseConsent:
      return settings.allowCrossClientNativeSSO && client.allowsCrossClient && original.allowsCrossClient
    case .lists(let lists):
      let (client, original) = (WireName(client.id), WireName(original.id))
      return lists.contains { $0.contains(client) && $0.contains(original) }
    }
  }
}
