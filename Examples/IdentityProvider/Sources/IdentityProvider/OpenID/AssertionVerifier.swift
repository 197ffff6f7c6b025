import JOSE

/// Checks the assertions of clients that authenticate by `private_key_jwt`.
///
/// Source: RFC 7523, OpenID Connect Core 1.0 §9.
package struct AssertionVerifier: Sendable {
  /// The name under which an assertion addresses this server.
  let issuer: String
  let records: any RecordStore
  let clock: WallClock

  static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  /// Whether a request's assertion is this client's. No other proof may stand beside it.
  func isAuthentic(_ client: Client, _ request: HTTPRequestValue, _ form: FormFields) async throws -> Bool {
    guard let keys = client.keys, request.headers.values("Authorization").isEmpty,
      form.values("client_secret").isEmpty, form.values("client_assertion_type") == [Self.type],
      let assertion = form.values("client_assertion").first
    else { return false }
    // What named the token endpoint was made by older software, which has to be registered as such.
    let audiences = [issuer] + (client.allowsTokenEndpointAudience ? [issuer + "/token"] : [])
    let verifier = SingleUseJWTVerifier(
      JWTVerifier(
        keys: keys, algorithms: [.es256, .rs256, .ps256, .ed25519, .eddsa],
        policy: .clientAssertion(clientID: client.id, audience: audiences, clock: clock)),
      records: records)
    do throws(JOSEError) {
      // A list is refused, even of one name: what is for several servers could be carried from one to the other.
      return try await verifier.verify(assertion).claims["aud"]?.stringValue != nil
    } catch {
      // A store that doesn't answer or is full is not the client's fault.
      if error.fault == .unavailable { throw error }
      return false
    }
  }
}
