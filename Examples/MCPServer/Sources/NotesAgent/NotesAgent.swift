import Foundation
import JOSE
import JOSEFoundation
import OpenIDKit

/// `NotesAgent SERVER [--client ISSUER ID] [--document URL] [--machine TOKEN-ENDPOINT ID] [TOOL NAME=VALUE …]`: lists
/// the tools of a server of the Model Context Protocol, or calls one, wherever its user has to log in for that. The
/// browser's last address is typed, or pasted, once it has come back to 127.0.0.1:8765, where nothing need listen. A
/// machine has no user, and its secret in the variable `NOTES_SECRET`.
@main
struct NotesAgent {
  let client: ResourceClient
  let transport: HTTPTransport
  let address: String
  /// Sends requests with a token of the machine's own; nil where a user logs in.
  var machine: RequestAuthorizer?

  static func main() async throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    func option(_ name: String, _ count: Int) -> [String] {
      guard let place = arguments.firstIndex(of: name), arguments.count > place + count else { return [] }
      defer { arguments.removeSubrange(place...place + count) }
      return Array(arguments[place + 1...place + count])
    }
    let (registered, document) = (option("--client", 2), option("--document", 1).first)
    let machine = option("--machine", 2)
    guard let address = arguments.first else {
      return say(
        "usage: NotesAgent SERVER [--client ISSUER ID] [--document URL] [--machine TOKEN-ENDPOINT ID] [TOOL NAME=VALUE …]"
      )
    }
    let transport = URLSessionTransport(plainHTTP: .loopback).send
    let registrations =
      registered.count == 2 ? [ResourceClient.Registration(issuer: registered[0], clientID: registered[1])] : []
    let client = ResourceClient(
      redirectURI: "http://127.0.0.1:8765/callback", registrations: registrations, document: document,
      plainHTTP: .loopback,
      trusts: { issuer, resource in
        say("Log in at \(issuer) for \(resource.resource)? (yes)")
        return readLine() == "yes"
      }, transport: transport)
    var agent = NotesAgent(client: client, transport: transport, address: address)
    if machine.count == 2 {
      let tokens = try await TokenManager.machine(
        tokenEndpoint: machine[0], clientID: machine[1],
        authentication: .basic(ProcessInfo.processInfo.environment["NOTES_SECRET"] ?? ""), scope: "notes.read",
        resource: address, plainHTTP: .loopback, transport: transport)
      agent.machine = RequestAuthorizer(manager: tokens, plainHTTP: .loopback, transport: transport)
    }
    var login: ResourceLogin?
    // What servers of before 2026 need to know first; the others say that there is no such method.
    let hello: JSONObject = [
      "protocolVersion": "2025-11-25", "capabilities": [:], "clientInfo": ["name": "NotesAgent", "version": "1"],
    ]
    _ = try await agent.answer(to: "initialize", hello, &login)
    var parameters: JSONObject = [:]
    if arguments.count > 1 {
      var values: JSONObject = [:]
      for pair in arguments.dropFirst(2) {
        let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
        if parts.count == 2 { values[parts[0]] = .string(parts[1]) }
      }
      parameters = ["name": .string(arguments[1]), "arguments": .object(values)]
    }
    say(try await agent.answer(to: arguments.count > 1 ? "tools/call" : "tools/list", parameters, &login))
  }

  /// What the server answers, once its user has logged in as far as it needs that.
  private func answer(
    to method: String, _ parameters: JSONObject, _ login: inout ResourceLogin?
  ) async throws -> String {
    let call: JSONObject = ["jsonrpc": "2.0", "id": 1, "method": .string(method), "params": .object(parameters)]
    var request = HTTPRequestValue(method: "POST", url: address, body: call.serialized())
    try request.headers.set("Content-Type", "application/json")
    try request.headers.set("Accept", "application/json, text/event-stream")
    for _ in 0..<4 {
      let authorizer = login?.authorizer ?? machine
      let answer = if let authorizer { try await authorizer.send(request) } else { try await transport(request) }
      guard answer.status == 401 || answer.status == 403 else { return String(decoding: answer.body, as: UTF8.self) }
      let (pending, page) = try await client.begin(after: answer, to: request, login: login)
      Self.say("Open \(page)\nand type the address that the browser ends at:")
      login = try await client.finish(pending, redirect: readLine() ?? "")
    }
    return "the server wants more logins than it should"
  }

  /// Writes at once, also to a pipe.
  private static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}
