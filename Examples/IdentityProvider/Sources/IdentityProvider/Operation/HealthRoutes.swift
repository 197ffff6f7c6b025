import Hummingbird
import SQLStores

extension Provider {
  /// Health checks: whether the process answers, and whether it can read its database and open its keys.
  func addHealthRoutes(to router: Router<ProviderContext>) {
    router.get("/health") { _, _ in HTTPResponse.Status.ok }
    router.get("/ready") { _, _ -> HTTPResponse.Status in
      let key = try await database.row("SELECT id FROM signingKeys WHERE state = 'active'")
      guard key != nil else { return .serviceUnavailable }
      _ = try await keys.signingKey("RS256")
      return .ok
    }
  }
}
