import JOSE
import StrictJSON

/// The userinfo endpoint.
///
/// Source: OpenID Connect Core 1.0 §5.3, RFC 6750 §2 and §3, RFC 9449 §7, RFC 9470 §3.
extension OpenIDProvider {
  /// Why a token is refused.
  private struct Refusal: Error {
    var status = 401
    var scheme = "Bearer"
    var error: String?
  }

  func userInfo(_ request: HTTPRequestValue) async -> HTTPResponseValue {
    do {
      let access = try await access(by: request)
      guard let userID = access.userID, access.scopes.wireNames.contains("openid"),
        access.audience.wireNames.contains(issuer)
      else {
        throw Refusal(status: 403, error: "insufficient_scope")
      }
      // The client's rule may be newer than the token, or the token may come from a login without pages.
      let client = try await clients.client(id: access.clientID.text)
      if let client, !client.accepts(access["acr"]?.text) {
        return .insufficientUserAuthentication(contexts: client.requiredContexts, isBound: access.keyThumbprint != nil)
      }
      let asked = access.claims[AccessTokenClaims.userInfo]?.arrayValue?.compactMap(\.stringValue) ?? []
      var consent: Consent?
      if client?.needsConsent ?? true {
        consent = try await sessions.consent(of: userID, at: access.clientID.text)
      }
      let names =
        ReleasedClaims.names(of: access.scopes)
        + ReleasedClaims.names(of: asked, scopes: access.scopes, consent: consent)
      var object: JSONObject = ["sub": .string(access.subject)]
      for (name, value) in try await sessions.claims(named: names, of: userID).members
      where ReleasedClaims.isAttribute(name) {
        object[name] = value
      }
      return .json(200, object)
    } catch let refusal as Refusal {
      var challenge = "\(refusal.scheme) realm=\"userinfo\""
      if let error = refusal.error { challenge += ", error=\"\(error)\"" }
      if refusal.scheme == "DPoP" {
        challenge += ", algs=\"\(proofs.algorithms.map(\.name).joined(separator: " "))\""
      }
      let members: JSONObject = refusal.error.map { ["error": .string($0)] } ?? [:]
      let response = HTTPResponseValue.json(refusal.status, members, [("WWW-Authenticate", challenge)])
      return refusal.error == "use_dpop_nonce" ? withNonce(response, to: request) : response
    } catch {
      return .temporarilyUnavailable
    }
  }

  /// The token of a request: in the header, or in a posted form, and nowhere else.
  private func access(by request: HTTPRequestValue) async throws -> Access {
    let fields = request.headers.values("Authorization")
    let posted = request.hasMethod("POST") ? (try? request.form())?.values("access_token").first : nil
    guard fields.count <= 1, fields.isEmpty || posted == nil else {
      throw Refusal(status: 400, error: "invalid_request")
    }
    guard let field = fields.first else {
      guard let posted else { throw Refusal() }
      return try await bearer(posted)
    }
    guard let credentials = AuthorizationCredentials(field) else {
      throw Refusal(status: 400, error: "invalid_request")
    }
    if credentials.hasScheme("Bearer") { return try await bearer(credentials.token) }
    if credentials.hasScheme("DPoP") { return try await bound(credentials.token, request) }
    throw Refusal()
  }

  private func bearer(_ token: String) async throws -> Access {
    guard let access = try await access(token) else { throw Refusal(error: "invalid_token") }
    // A token that is bound to a key is valid only with a proof.
    guard access.keyThumbprint == nil else { throw Refusal(scheme: "DPoP", error: "invalid_token") }
    return access
  }

  private func bound(_ token: String, _ request: HTTPRequestValue) async throws -> Access {
    guard let access = try await access(token), let thumbprint = access.keyThumbprint else {
      throw Refusal(scheme: "DPoP", error: "invalid_token")
    }
    let proof = request.headers.values("DPoP")
    guard proof.count == 1 else { throw Refusal(scheme: "DPoP", error: "invalid_dpop_proof") }
    do throws(JOSEError) {
      _ = try await proofs.verify(
        proof[0], method: request.method, url: request.url, binding: .accessToken(token, thumbprint: thumbprint))
    } catch {
      guard error.fault != .unavailable else { throw error }
      throw Refusal(
        scheme: "DPoP", error: error.code == .dpopNonceRequired ? "use_dpop_nonce" : "invalid_dpop_proof")
    }
    return access
  }
}

extension OpenIDProvider {
  /// Whether a name can be that of a user's claim. Those that tokens and protocols use have a meaning of their own, and
  /// are never released as what is known of a user.
  public static func isUserClaim(_ name: String) -> Bool { ReleasedClaims.isAttribute(name) }
}
