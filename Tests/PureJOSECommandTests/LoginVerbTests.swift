import IdentityTesting
import JOSE
import OpenIDKit
import StrictJSON
import Synchronization
import Testing

@testable import PureJOSECommand

@Suite("Logging in from a terminal")
struct LoginVerbTests {
  private static let issuer = "https://login.example.com"
  private static let login = ["login", "--device", "--issuer", issuer, "--client-id", "cli"]

  /// A provider in memory, whose user answers once a device has asked for its tokens.
  private final class World: Sendable {
    let provider: MemoryProvider
    private let answer: AnsweredPage?
    let code = Mutex("")
    let forms = Mutex<[FormFields]>([])
    let pauses = Mutex<[Duration]>([])
    let errors = Mutex<[String]>([])
    let output = Mutex<[UInt8]>([])
    let file = Mutex<(path: String, octets: [UInt8])?>(nil)

    init(answering answer: AnsweredPage?, secret: String? = nil) async throws {
      var client = RegisteredClient(
        id: "cli", allowedScopes: ["openid", "profile"], resources: ["https://api.example.com"])
      client.isDevice = true
      if let secret {
        client.authentication = .basic(secretSHA256: RegisteredClient.Authentication.secretSHA256(secret))
      }
      var policy = ProviderPolicy()
      policy.devicePage = issuer + "/device"
      provider = try MemoryProvider(issuer: issuer, clients: [client], policy: policy)
      self.answer = answer
      try await provider.sessions.addUser("jane")
      try await provider.sessions.add(
        AuthenticationSession(id: "s", userID: "jane", authenticatedAt: WallClock.system.now))
    }

    private func respond(to request: HTTPRequestValue) async throws -> HTTPResponseValue {
      if request.method == "POST" { forms.withLock { [form = try? request.form()] in $0 += [form].compactMap { $0 } } }
      let response = await provider.respond(to: request)
      if let shown = try? JSONObject(parsing: response.body)["user_code"]?.stringValue {
        code.withLock { $0 = shown }
      } else if request.url.hasSuffix("/token"), response.status == 400, let answer {
        let session = try #require(try await provider.sessions.session(id: "s"))
        let login = BrowserLogin(session)
        let device = try await provider.provider.device(showing: code.withLock { $0 }, login: login, from: "a")
        if let id = device?.pending.id {
          #expect(try await provider.provider.answerDevice(id, login: login, after: answer))
        }
      }
      return response
    }

    func run(_ arguments: [String], files: [String: [UInt8]] = [:]) async -> PureJOSECommand.ExitStatus {
      await onAWaitingThread { self.waitingRun(arguments, files) }
    }

    private func waitingRun(_ arguments: [String], _ files: [String: [UInt8]]) -> PureJOSECommand.ExitStatus {
      var console = Console(
        readInput: { [] },
        readFile: { path throws(CommandFailure) in
          guard let file = files[path] else { throw .usage("no such file") }
          return file
        },
        write: { octets in self.output.withLock { $0 += octets } },
        writeError: { line in self.errors.withLock { $0.append(line) } },
        transport: { try await self.respond(to: $0) })
      console.writeFile = { octets, path throws(CommandFailure) in self.file.withLock { $0 = (path, octets) } }
      console.clock = TokenClock(
        wall: .system, elapsed: { self.pauses.withLock { $0.reduce(.zero, +) } },
        sleep: { pause in self.pauses.withLock { $0.append(pause) } })
      return JOSECommand(console: console).run(arguments)
    }
  }

  @Test("a user who answers is logged in, and the tokens are written")
  func tokens() async throws {
    let world = try await World(answering: .consent(sessionID: "s"))
    #expect(await world.run(Self.login + ["--scope", "profile", "--resource", "https://api.example.com"]) == .done)
    let code = world.code.withLock { $0 }
    #expect(
      world.errors.withLock { $0 } == [
        "Open https://login.example.com/device and type the code \(code)",
        "or open https://login.example.com/device?user_code=\(code) and compare the code",
      ])
    let tokens = try JSONObject(parsing: world.output.withLock { $0 }.dropLast())
    #expect(tokens["scope"] == "openid profile" && tokens["refresh_token"] != nil && tokens["expires_in"] != nil)
    let claims = try UnverifiedJWS(parsing: try #require(tokens["id_token"]?.stringValue)).unverifiedClaims
    #expect(claims?["sub"] == "jane")
    let access = try UnverifiedJWS(parsing: try #require(tokens["access_token"]?.stringValue)).unverifiedClaims
    #expect(access?["aud"] == "https://api.example.com")
    #expect(world.pauses.withLock { $0 } == [.seconds(5), .seconds(5)])
  }

  @Test("with a secret from a file's first line, the tokens go to a file of the user's own")
  func secret() async throws {
    let world = try await World(answering: .consent(sessionID: "s"), secret: "s3cret")
    let arguments = Self.login + ["--client-secret-file", "secret", "--output", "tokens.json"]
    #expect(await world.run(arguments, files: ["secret": Array("s3cret\nmore".utf8)]) == .done)
    let file = try #require(world.file.withLock { $0 })
    #expect(file.path == "tokens.json" && world.output.withLock { $0 }.isEmpty)
    #expect(try JSONObject(parsing: file.octets.dropLast())["id_token"] != nil)
  }

  @Test("who refuses is not logged in, and who doesn't answer neither")
  func refusals() async throws {
    let refused = try await World(answering: .denial)
    #expect(await refused.run(Self.login) == .invalid)
    #expect(refused.errors.withLock { $0.last }?.contains("authorizationRefused(access_denied)") == true)
    let late = try await World(answering: nil)
    #expect(await late.run(Self.login) == .invalid)
    #expect(late.errors.withLock { $0.last }?.contains("loginOver") == true)
    #expect(late.output.withLock { $0 }.isEmpty && late.pauses.withLock { $0.reduce(.zero, +) } >= .seconds(600))
  }

  @Test(
    "wrong usage",
    arguments: [
      ["login"], ["login", "--issuer", issuer, "--client-id", "cli"], ["login", "--device", "--client-id", "cli"],
      ["login", "--device", "--issuer", issuer], login + ["more"], login + ["--client-secret-file", "absent"],
      ["login", "--device", "--issuer", "http://login.example.com", "--client-id", "cli"],
      ["login", "--device", "--issuer", "http://127.0.0.1:8080", "--client-id", "cli"],
    ])
  func usage(_ arguments: [String]) async throws {
    let world = try await World(answering: nil)
    #expect(await world.run(arguments) == .usage)
    #expect(world.forms.withLock { $0.isEmpty })
  }
}
