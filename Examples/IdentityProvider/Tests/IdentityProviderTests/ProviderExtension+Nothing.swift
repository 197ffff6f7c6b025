import Hummingbird
import JOSE
import OpenIDKit

@testable import IdentityProvider

/// Adds nothing, so that a test's part says only what the test is about.
extension ProviderExtension {
  func addRoutes(to router: Router<ProviderContext>) {}
  func adjust(_ provider: inout OpenIDProvider) {}
  var loginChoices: [LoginChoice] { [] }
  func devices(of userID: String?) async throws -> [ProviderDevice] { [] }
  func revokeDevice(_ id: String, of userID: String?) async throws -> Bool { false }
  func credentialsDidChange(of userID: String) async throws {}
  func unlinkAccounts(of userID: String) async throws {}
}
