import Hummingbird
import JOSEHummingbird

/// `MCPServer PORT ISSUER`: serves notes at `http://127.0.0.1:PORT/mcp` to the users of an issuer. Behind a proxy, with
/// TLS, the address is another.
@main
struct MCPServer {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 2, let port = arguments.first.flatMap({ Int($0) }), let issuer = arguments.last else {
      return print("usage: MCPServer PORT ISSUER")
    }
    let router = Router(context: AccessTokenRequestContext.self)
    try NotesServer(address: "http://127.0.0.1:\(port)/mcp", issuer: issuer).addRoutes(to: router)
    let configuration = ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
    try await Application(router: router, configuration: configuration).runService()
  }
}
