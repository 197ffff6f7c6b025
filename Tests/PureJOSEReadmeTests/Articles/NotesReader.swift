import JOSE
import OpenIDKit

/// A program that reads notes wherever its user keeps them.
struct NotesReader {
  let client: ResourceClient
  let transport: HTTPTransport
  /// Opens an address in the user's browser, and returns the one that it comes back to.
  let browse: @Sendable (_ url: String) async throws -> String

  /// - Parameter confirms: asks the user whether to log in at an issuer for a resource.
  init(
    transport: @escaping HTTPTransport, confirms: @escaping @Sendable (_ question: String) async -> Bool,
    browse: @escaping @Sendable (_ url: String) async throws -> String
  ) {
    (self.transport, self.browse) = (transport, browse)
    client = ResourceClient(
      redirectURI: "http://127.0.0.1:8765/callback",
      registrations: [.init(issuer: "https://login.example.com", clientID: "reader")],
      document: "https://reader.example.com/client.json",
      trusts: { issuer, resource in await confirms("Log in at \(issuer) for \(resource.resource)?") },
      transport: transport)
  }

  /// Sends a request, and logs the user in for it if need be.
  func send(_ request: HTTPRequestValue, _ login: ResourceLogin? = nil) async throws -> (
    HTTPResponseValue, ResourceLogin?
  ) {
    let answer = if let login { try await login.authorizer.send(request) } else { try await transport(request) }
    guard answer.status == 401 || answer.status == 403 else { return (answer, login) }
    let (pending, page) = try await client.begin(after: answer, to: request, login: login)
    let next = try await client.finish(pending, redirect: try await browse(page))
    return (try await next.authorizer.send(request), next)
  }
}
