import JOSE

@testable import PlatformSSOKit

extension IdentityProvider {
  /// What a posted form seems to be; nil for a request for a server nonce.
  func kind(of request: HTTPRequestValue) throws -> FormKind? {
    try kind(of: PostedForm(request, configuration: configuration))?.kind
  }
}
