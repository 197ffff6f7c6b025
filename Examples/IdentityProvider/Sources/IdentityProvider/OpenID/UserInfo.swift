import HTTPTypes
import Hummingbird
import JOSE
import JOSEHummingbird
import OpenIDKit

/// The userinfo endpoint.
///
/// Source: OpenID Connect Core 1.0 §5.3, RFC 6750 §2 and §3, RFC 9449 §7, RFC 9470 §3.
extension Provider {
  func addUserInfoRoutes(to router: Router<ProviderContext>) {
    for method in [HTTPRequest.Method.get, .post] {
      router.on("/userinfo", method: method) { request, _ in
        Response(await userInfo(try await HTTPRequestValue(request, baseURL: settings.issuer)))
      }
    }
  }

  /// Why a token is refused.
  private struct Refusal: Error {
    var status = 401
    var scheme = "Bearer"
    var error: String?
  }

  private func userInfo(_ request: HTTPRequestValue) async -> HTTPResponseValue {
    do {
      let access = try await access(by: request)
      guard access.scopes.contains("openid") else { throw Refusal(status: 403, error: "insufficient_scope") }
      // The client's rule may be newer than the token, or the token may come from a login without pages.
      let client = try await clients.enabledClient(id: access.clientID)
      if let client, !client.accepts(access.claims["acr"]?.stringValue) {
        return .insufficientUserAuthentication(contexts: client.requiredContexts, isBound: access.keyThumbprint != nil)
      }
      let asked = access.claims["userinfo"]?.arrayValue?.compactMap(\.stringValue) ?? []
      let consent = try await sessions.consent(of: access.userID, at: access.clientID)
      let names =
        ReleasedClaims.names(of: access.scopes)
        + ReleasedClaims.names(of: asked, scopes: access.scopes, consent: consent)
      var object: JSONObject = ["sub": .string(access.userID)]
      for (name, value) in try await claims(named: names, of: access.userID).members { object[name] = value }
      return .json(object)
    } catch let refusal as Refusal {
      var challenge = "\(refusal.scheme) realm=\"userinfo\""
      if let error = refusal.error { challenge += ", error=\"\(error)\"" }
      if refusal.scheme == "DPoP" {
        challenge += ", algs=\"\(Self.proofAlgorithms.map(\.name).joined(separator: " "))\""
      }
      var response = HTTPResponseValue.json(refusal.error.map { ["error": .string($0)] } ?? [:], status: refusal.status)
      try? response.headers.set("WWW-Authenticate", challenge)
      return refusal.error == "use_dpop_nonce" ? withNonce(response) : response
    } catch {
      return .unavailable
    }
  }

  /// The token of a request: in the header, or in a posted form, and nowhere else.
  private func access(by request: HTTPRequestValue) async throws -> Access {
    let fields = request.headers.values("Authorization")
    let posted = request.method == "POST" ? (try? request.form())?.values("access_token").first : nil
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
        proof[0], method: request.method, url: request.url,
        binding: .accessToken(token, thumbprint: thumbprint))
    } catch {
      guard error.fault != .unavailable else { throw error }
      throw Refusal(
        scheme: "DPoP", error: error.code == .dpopNonceRequired ? "use_dpop_nonce" : "invalid_dpop_proof")
    }
    return access
  }

  /// The user's claims with these names; unknown ones are left out.
  func claims(named names: [String], of userID: String) async throws -> JSONObject {
    guard !names.isEmpty, let user = try await users.user(id: userID) else { return [:] }
    var object: JSONObject = [:]
    for name in names {
      switch name {
      case "email": object[name] = .string(user.email)
      case "email_verified": object[name] = .bool(user.isEmailVerified)
      case "preferred_username": object[name] = .string(user.username)
      case "updated_at": object[name] = .number(JSONNumber(user.updatedAt.wholeSeconds))
      default: if ReleasedClaims.isAttribute(name), let value = user.claims[name] { object[name] = value }
      }
    }
    return object
  }
}

extension HTTPResponseValue {
  /// The answer while the database can't be read.
  package static var unavailable: HTTPResponseValue {
    var response = json(["error": "temporarily_unavailable"], status: 503)
    try? response.headers.set("Retry-After", "1")
    return response
  }

  /// A JSON response that no cache may store.
  package static func json(_ body: JSONObject, status: Int = 200) -> HTTPResponseValue {
    var response = HTTPResponseValue(status: status, body: body.serialized())
    try? response.headers.append("Content-Type", "application/json")
    try? response.headers.append("Cache-Control", "no-store")
    return response
  }
}
