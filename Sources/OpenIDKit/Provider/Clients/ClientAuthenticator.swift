import JOSE
import PureCrypto
import StrictJSON

/// Finds out which client sends a request, in the way that this client is registered for and no other.
///
/// Source: RFC 6749 §2.3.
package struct ClientAuthenticator: Sendable {
  let clients: any ClientDirectory
  /// Whether `aud` of an assertion may be a list of one.
  let takesLists: Bool

  package init(clients: any ClientDirectory, takesLists: Bool = true) {
    (self.clients, self.takesLists) = (clients, takesLists)
  }

  package func authenticate(
    _ request: HTTPRequestValue, _ form: FormFields
  ) async throws(OAuthErrorResponse) -> RegisteredClient {
    let fields = request.headers.values("Authorization")
    let basic = fields.count == 1 ? BasicCredentials(field: fields[0]) : nil
    guard fields.isEmpty || basic != nil else { throw Self.refused }
    let named = form.values("client_id").first.flatMap { $0.isEmpty ? nil : $0 }
    if let named, let basic, WireName(named) != basic.clientID { throw Self.refused }
    // `client_id` may be left out beside an assertion (RFC 7521 §4.2), which says who it is from. That is not verified
    // yet.
    let assertion = named == nil && basic == nil ? Self.assertion(form) : nil
    guard let id = named ?? basic?.clientID ?? assertion?.unverifiedClaims?["sub"]?.stringValue else {
      throw Self.refused
    }
    let found: RegisteredClient?
    do {
      found = try await clients.client(id: id)
    } catch {
      throw .unavailable
    }
    guard let client = found else { throw Self.refused }
    let isAuthentic: Bool
    do {
      isAuthentic = try await self.isAuthentic(client, request, form, basic, assertion)
    } catch {
      throw .unavailable
    }
    guard isAuthentic else { throw Self.refused }
    return client
  }

  /// The assertion of a client, not verified.
  private static func assertion(_ form: FormFields) -> UnverifiedJWS? {
    guard let text = form.values("client_assertion").first else { return nil }
    return try? UnverifiedJWS(parsing: text)
  }

  private func isAuthentic(
    _ client: RegisteredClient, _ request: HTTPRequestValue, _ form: FormFields, _ basic: BasicCredentials?,
    _ assertion: UnverifiedJWS?
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
    case .assertion(let verifier):
      guard basic == nil, posted == nil, form.values("client_assertion_type").wireNames == [Self.assertionType],
        let assertion = assertion ?? Self.assertion(form)
      else { return false }
      return try await isAuthentic(assertion, of: client, verifier)
    case .custom(let isAuthentic):
      return try await isAuthentic(request, form)
    }
  }

  private static let assertionType: WireName = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  private func isAuthentic(
    _ assertion: UnverifiedJWS, of client: RegisteredClient, _ verifier: SingleUseJWTVerifier
  ) async throws -> Bool {
    do throws(JOSEError) {
      let claims = try await verifier.verify(parsed: assertion).claims
      // Clients may share a verifier, whose policy then names none of them.
      guard ["iss", "sub"].allSatisfy({ claims[$0] == .string(client.id) }) else { return false }
      // What is for several servers could be carried from one to the other. A list of one name is the other way to
      // write that name, which some profiles forbid.
      if claims["aud"]?.stringValue != nil { return true }
      return takesLists && client.takesAudienceLists && claims["aud"]?.arrayValue?.count == 1
    } catch {
      // A store that doesn't answer or is full is not the client's fault.
      if error.fault == .unavailable { throw error }
      return false
    }
  }

  private static var refused: OAuthErrorResponse {
    OAuthErrorResponse(.invalidClient, "Client authentication failed", status: 401)
  }
}
