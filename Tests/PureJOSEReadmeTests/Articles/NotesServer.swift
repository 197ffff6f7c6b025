import JOSE
import OpenIDKit

/// A server of notes: each request needs a token that was issued for this server, and for what the request does.
struct NotesServer {
  let resource: ProtectedResource
  let tokens: RemoteJWTVerifier

  init(transport: @escaping HTTPTransport) throws {
    let (name, issuer) = ("https://notes.example.com/mcp", "https://login.example.com")
    resource = try ProtectedResource(name, authorizationServers: [issuer], scopes: ["notes.read", "notes.write"])
    tokens = RemoteJWTVerifier(
      keys: RemoteKeySet(issuer: issuer, metadata: .oauth, transport: transport), algorithms: [.es256],
      policy: .accessToken(issuer: issuer, audience: name))
  }

  func respond(to request: HTTPRequestValue) async throws -> HTTPResponseValue {
    if let metadata = resource.respond(to: request) { return metadata }
    let needed = request.method == "GET" ? "notes.read" : "notes.write"
    guard let field = request.headers.values("Authorization").first,
      let credentials = AuthorizationCredentials(field), credentials.hasScheme("Bearer")
    else { return try refusal(401, needed) }
    do throws(JOSEError) {
      let claims = try await tokens.verify(credentials.token).claims
      let scopes = claims["scope"]?.stringValue?.split(separator: " ") ?? []
      guard scopes.contains(where: { $0 == needed }) else { return try refusal(403, needed, "insufficient_scope") }
      return HTTPResponseValue(status: 200, body: Array("tea, scones".utf8))
    } catch {
      // Keys that can't be had say nothing about the token.
      guard error.fault != .unavailable else { return HTTPResponseValue(status: 503) }
      return try refusal(401, needed, "invalid_token")
    }
  }

  /// Says where to ask for a token, and for which scope.
  private func refusal(_ status: Int, _ scope: String, _ error: String? = nil) throws(JOSEError) -> HTTPResponseValue {
    var challenge = "Bearer scope=\"\(scope)\", resource_metadata=\"\(resource.metadataURL)\""
    if let error { challenge += ", error=\"\(error)\"" }
    return HTTPResponseValue(status: status, headers: try HTTPHeaderFields([("WWW-Authenticate", challenge)]))
  }
}
