import Foundation
import Hummingbird
import JOSE
import PlatformSSOKit
import PureCrypto

let usage = "usage: psso-serve --settings FILE --state FOLDER [--port 8080] [--quiet]"

/// The provider for the given settings and the state of a folder.
func makeEndpoint(settings: Settings, folder: StateFolder) async throws -> Endpoint {
  func random() -> Data { SecretBytes.random(count: 32).withBytes { $0.withUnsafeBytes { Data($0) } } }
  var state = try folder.load()
  if state == nil {
    // At the first start, makes the key that signs id_token and a secret, which stay the same from now on.
    let key = JWK.generate(.es256, keyID: "idp-1")
    state = State(idTokenKey: Data(key.serializedWithPrivateKey()), keyContextSecret: random())
  }
  guard let state else { throw StateFolder.Failure(reason: "the folder holds no state") }
  try folder.save(state)
  let records = Store(folder: folder, state: state)
  _ = try await records.removeExpired(before: WallClock.system.now, limit: .max)
  let users = Users(users: settings.users)
  var configuration = IdentityProviderConfiguration(
    issuer: settings.baseURL, clientIDs: [settings.clientID], audience: settings.audience,
    tokenEndpointURL: settings.baseURL + "/psso/token")
  configuration.preauthenticationURL = settings.baseURL + "/psso/discovery"
  configuration.bindsServerNonces = true
  if settings.servesMacOS13 == true {
    configuration.apply(.macOS13)
  }
  // ES256 or RS256: a Mac accepts no other id_token, and the initializer no other key.
  let idTokenKey = try SigningKey(JWK(parsing: state.idTokenKey), algorithm: .es256)
  // Nonces of this process: one made before a restart is refused after it.
  let provider = try IdentityProvider(
    configuration: configuration, users: users, idTokenKey: idTokenKey, records: records)
  var attestation: AttestationPolicy?
  if let path = settings.attestationRoots {
    attestation = try AttestationPolicy(
      trust: CertificateTrust(pemRoots: String(contentsOfFile: path, encoding: .utf8), purpose: .attestation))
    attestation?.requiresDeviceIdentifiers = true
  }
  return Endpoint(
    settings: settings, users: users, provider: provider,
    keyContexts: try KeyContexts(secret: SecretBytes(copying: state.keyContextSecret)),
    keySet: JWKSet([idTokenKey.verificationKey.publicJWK].compactMap { $0 }), attestation: attestation)
}

/// Answers one request of the framework's, and shows the exchange.
func respond(_ request: Request, _ endpoint: Endpoint, isQuiet: Bool) async throws -> Response {
  let value = try await HTTPRequestValue(request)
  let start = ContinuousClock.now
  let (answer, refusal) = await endpoint.respond(to: value)
  if !isQuiet {
    let passed = (ContinuousClock.now - start) / .microseconds(1)
    let text = Transcript.lines(value, answer, refusal: refusal, microseconds: Int(passed))
    FileHandle.standardOutput.write(Data(text.utf8))
  }
  return Response(answer)
}

var options: [String: String] = [:]
var arguments = CommandLine.arguments.dropFirst()
while let name = arguments.popFirst() {
  if name == "--quiet" {
    options[name] = ""
  } else if ["--settings", "--state", "--port"].contains(name), let value = arguments.popFirst() {
    options[name] = value
  } else {
    options = [:]
    break
  }
}
guard let file = options["--settings"], let folder = options["--state"], let port = Int(options["--port"] ?? "8080")
else {
  FileHandle.standardError.write(Data((usage + "\n").utf8))
  exit(2)
}

let endpoint = try await makeEndpoint(settings: Settings(contentsOf: file), folder: StateFolder(folder))
let isQuiet = options["--quiet"] != nil
let router = Router()
for (method, path) in Endpoint.routes {
  router.on(RouterPath(path), method: method == "GET" ? .get : .post) { request, _ -> Response in
    try await respond(request, endpoint, isQuiet: isQuiet)
  }
}
// A proxy in front must end TLS, with a certificate that leads to a root of the system, because Macs accept no other.
let application = Application(
  router: router, configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: nil),
  onServerRunning: { channel in
    let address = "http://127.0.0.1:\(channel.localAddress?.port ?? port)"
    FileHandle.standardOutput.write(Data("listening on \(address) for \(endpoint.settings.baseURL)\n".utf8))
  })
try await application.runService()
