import JOSE

@testable import PlatformSSOKit

extension IdentityProvider {
  /// What a posted form seems to be.
  func kind(of request: HTTPRequestValue) throws -> FormKind {
    var form = try PostedForm(request, configuration: configuration)
    return try kind(of: &form)
  }
}
