import GRDB
import Hummingbird

extension Provider {
  /// For supervisors: whether the process answers, and whether it can read its database and open its keys.
  func addHealthRoutes(to router: Router<ProviderContext>) {
    router.get("/health") { _, _ in HTTPResponse.Status.ok }
    router.get("/ready") { _, _ -> HTTPResponse.Status in
      let query = "SELECT 1 FROM signingKeys WHERE state = 'active'"
      guard try await database.read({ try Bool.fetchOne($0, sql: query) }) == true else { return .serviceUnavailable }
      _ = try await keys.signingKey("RS256")
      return .ok
    }
  }
}
