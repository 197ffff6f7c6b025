import JOSE
import PureCrypto
import StrictJSON

/// Finds out which client sends a request, in the way that this client is registered for and no other.
///
/// Source: RFC 6749 §2.3.
package struct ClientAuthenticator: Sendable {
  let clients: any ClientDirectory

  package init(clients: any ClientDirectory) { self.clients = clients }

  package func authenticate(
    _ request: HTTPRequestValue, _ form: FormFields
  ) async throws(OAuthErrorResponse) -> RegisteredClient {
    let fields = request.headers.values("Authorization")
    let basic = fields.count == 1 ? BasicCredentials(field: fields[0]) : nil
    guard fields.isEmpty || basic != nil else { throw Self.refused }
    let named = form.values("client_id").first.flatMap { $0.isEmpty ? nil : $0 }
    if let named, let basic, !named.hasSameBytes(as: basic.clientID) { throw Self.refused }
    guard let id = named ?? basic?.clientID ?? Self.asserted(form) else { throw Self.refused }
    let found: RegisteredClient?
    do {
      found = try await clients.client(id: id)
    } catch {
      throw .serverFault
    }
    guard let client = found else { throw Self.refused }
    let isAuthentic: Bool
    do {
      isAuthentic = try await self.isAuthentic(client, request, form, basic)
    } catch {
      throw .serverFault
    }
    guard isAuthentic else { throw Self.refused }
    return client
  }

  /// Who a client's assertion says it is from: `client_id` may be left out beside it (RFC 7521 §4.2). Nothing is
  /// verified yet.
  private static func asserted(_ form: FormFields) -> String? {
    guard let assertion = form.values("client_assertion").first else { return nil }
    return (try? UnverifiedJWS(parsing: assertion))?.unverifiedClaims?["sub"]?.stringValue
  }

  private func isAuthentic(
    _ client: RegisteredClient, _ request: HTTPRequestValue, _ form: FormFields, _ basic: BasicCredentials?
  ) async throws -> Bool {
    let posted = form.values("client_secret").first
    switch client.authentication {
    case .none:
      return client.isNative && basic == nil && posted == nil
    case .basic(let secretSHA256):
      guard let basic, posted == nil else { return false }
      return ConstantTime.equal(SHA2.SHA256.hash(basic.secret.utf8), secretSHA256)
    case .post(let secretSHA256):
      guard let posted, basic == nil else { return false }
      return ConstantTime.equal(SHA2.SHA256.hash(posted.utf8), secretSHA256)
    case .custom(let isAuthentic):
      return try await isAuthentic(request, form)
    }
  }

  private static var refused: OAuthErrorResponse {
    OAuthErrorResponse(.invalidClient, "Client authentication failed", status: 401)
  }
}
