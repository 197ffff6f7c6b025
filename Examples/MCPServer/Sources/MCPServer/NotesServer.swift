import Hummingbird
import JOSE
import JOSEAsyncHTTPClient
import JOSEHummingbird
import OpenIDKit

/// Notes, one list for each user, as tools of the Model Context Protocol over HTTP. Each tool needs a scope of its own.
struct NotesServer: Sendable {
  let resource: ProtectedResource
  private let tokens: BearerTokens<AccessTokenRequestContext>
  private let notes = Notes()

  /// - Parameters:
  ///   - address: the server's own, with the path.
  ///   - issuer: the provider that its users log in at.
  init(address: String, issuer: String) throws {
    resource = try ProtectedResource(
      address, authorizationServers: [issuer], scopes: ["notes.read", "notes.write"], plainHTTP: .loopback)
    let transport = AsyncHTTPClientTransport(plainHTTP: .loopback)
    tokens = BearerTokens(protecting: resource, plainHTTP: .loopback, transport: transport.send)
  }

  func addRoutes(to router: Router<AccessTokenRequestContext>) {
    router.get("/.well-known/**") { request, _ in
      resource.respond(to: try await HTTPRequestValue(request)).map { Response($0) } ?? Response(status: .notFound)
    }
    router.post("/mcp") { request, context in
      // What is asked decides which scopes are needed: the refusal names them all.
      var request = request
      let call = RemoteCall(Array(buffer: try await request.collectBody(upTo: 65_536)))
      let needed = tokens.requiring(call?.scope ?? "notes.read")
      return try await needed.handle(request, context: context) { _, context in
        guard let call else { return Response(status: .badRequest) }
        return try await answer(call, of: context.requireAccessToken().subject)
      }
    }
  }

  private func answer(_ call: RemoteCall, of user: String) async -> Response {
    switch call.method {
    case "server/discover":
      return call.answer([
        "supportedVersions": ["2026-07-28"], "capabilities": ["tools": [:]],
      ])
    case "initialize":
      let version = call.parameters["protocolVersion"] ?? "2025-11-25"
      return call.answer([
        "protocolVersion": version, "capabilities": ["tools": [:]], "serverInfo": ["name": "notes", "version": "1"],
      ])
    case "ping": return call.answer([:])
    case "tools/list":
      let text: JSONValue = ["type": "object", "properties": ["text": ["type": "string"]], "required": ["text"]]
      return call.answer([
        "tools": [
          ["name": "list_notes", "description": "All notes.", "inputSchema": ["type": "object"]],
          ["name": "add_note", "description": "Adds a note.", "inputSchema": text],
        ], "ttlMs": 60_000, "cacheScope": "public",
      ])
    case "tools/call":
      let text = call.parameters["arguments"]?.objectValue?["text"]?.stringValue
      switch (call.tool, text) {
      case ("list_notes", _): return call.answer(text: await notes.all(of: user).joined(separator: "\n"))
      case ("add_note", let text?):
        await notes.add(text, of: user)
        return call.answer(text: "added")
      default: return call.refusal(-32602, "there is no such tool, or it needs a text")
      }
    default: return call.refusal(-32601, "there is no such method")
    }
  }
}

/// What users have noted.
actor Notes {
  private var notes: [String: [String]] = [:]

  func all(of user: String) -> [String] { notes[user] ?? [] }

  func add(_ text: String, of user: String) { notes[user, default: []].append(text) }
}
