import Hummingbird
import JOSE
import NativeSSOKit
import OpenIDKit

@testable import IdentityProvider

/// Adds nothing, so that a test's part says only what the test is about.
extension ProviderExtension {
  func discoveryMembers() async throws -> JSONObject { [:] }
  func addRoutes(to router: Router<ProviderContext>) {}
  var grants: [TokenEndpoint.Grant] { [] }
  func adjust(_ native: inout NativeSSOProvider) {}
  var loginChoices: [LoginChoice] { [] }
  func devices(of userID: String?) async throws -> [ProviderDevice] { [] }
  func revokeDevice(_ id: String, of userID: String?) async throws -> Bool { false }
  func credentialsDidChange(of userID: String) async throws {}
  func unlinkAccounts(of userID: String) async throws {}
}
