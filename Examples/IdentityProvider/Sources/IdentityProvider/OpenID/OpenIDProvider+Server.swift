import Hummingbird
import JOSE
import JOSEHummingbird
import OpenIDKit

/// The provider of the protocol, and what it asks this server.
extension Provider {
  /// The provider as it is now, with the keys of this moment.
  ///
  /// - Throws: what the database throws.
  package func openID() async throws -> OpenIDProvider {
    var provider = base
    provider.keys = try await keys.issuerKeys()
    return provider
  }

  func addEndpoints(to router: Router<ProviderContext>) {
    let paths: KeyValuePairs<String, [HTTPRequest.Method]> = [
      "/token": [.post], "/userinfo": [.get, .post], "/par": [.post], "/device_authorization": [.post],
      "/introspect": [.post], "/revoke": [.post], "/statuslist": [.get],
    ]
    for (path, methods) in paths {
      for method in methods {
        router.on(RouterPath(path), method: method) { request, context in
          let value = try await HTTPRequestValue(request, baseURL: settings.issuer)
          let source = settings.source(of: request, context)
          return await SourceAddress.$ofTokenRequest.withValue(source) { await answer(value, from: source) }
        }
      }
    }
  }

  private func answer(_ request: HTTPRequestValue, from source: SourceAddress) async -> Response {
    do {
      // Unknown device secrets are counted for the source's site, so that clients elsewhere aren't slowed. Where a
      // device is, its user is told.
      let isDevice = request.url.hasSuffix("/device_authorization")
      guard let response = try await openID().respond(to: request, from: isDevice ? source.text : source.site) else {
        return Response(status: .notFound)
      }
      return Response(response)
    } catch {
      log.error("a request could not be served", metadata: ["error": "\(Storage.reason(of: error))"])
      return Response(.unavailable)
    }
  }

  /// Counts what is stored for an unauthenticated client: a request or a proof. False if its network has reached the
  /// limit.
  func mayKeep(from source: SourceAddress) async throws -> Bool {
    try await Self.mayKeep(from: source, in: database, settings.keptRequestsPerMinute, at: clock.now)
  }
}

/// What the provider knows of users: their sessions and consents are records, their claims are the user's own.
struct UserDirectory: SessionDirectory {
  let sessions: SessionRecords
  let users: UserRepository

  func session(id: String) async throws -> AuthenticationSession? { try await sessions.session(id: id) }

  func isActive(userID: String) async throws -> Bool { try await sessions.isActive(userID: userID) }

  func grantedScopes(userID: String, clientID: String) async throws -> [String] {
    try await sessions.grantedScopes(userID: userID, clientID: clientID)
  }

  func claims(named names: [String], of userID: String) async throws -> JSONObject {
    guard !names.isEmpty, let user = try await users.user(id: userID) else { return [:] }
    var object: JSONObject = [:]
    for name in names {
      switch name {
      case "email": object[name] = .string(user.email)
      case "email_verified": object[name] = .bool(user.isEmailVerified)
      case "preferred_username": object[name] = .string(user.username)
      case "updated_at": object[name] = .number(JSONNumber(user.updatedAt.wholeSeconds))
      default: if let value = user.claims[name] { object[name] = value }
      }
    }
    return object
  }
}
