import Foundation
import StrictJSON
import Synchronization

@testable import PureJOSECommand

/// A folder with the files of a Mac and of a provider, and the command run in it as a shell would run it: files are
/// real, and each run's output is the next one's file or input.
final class PSSOShell {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("psso-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, algorithm) in [
      ("device-signing", "ES256"), ("device-encryption", "ECDH-ES"), ("user", "ES256"), ("card", "ES256"),
      ("idp-token", "ES256"), ("idp-login", "ECDH-ES"), ("idp-secret", "HS256"), ("other", "ECDH-ES"),
    ] {
      let key = CommandRun(["key", "generate", "--alg", algorithm, "--kid", name]).output
      try write(key, "\(name).jwk")
      if algorithm != "HS256" { try write(CommandRun(["key", "public"], input: key).output, "\(name).pub.jwk") }
    }
    try write([0x30, 0x00], "card.der")
    let tokenKey = try String(contentsOf: folder.appendingPathComponent("idp-token.pub.jwk"), encoding: .utf8)
    try write("{\"keys\":[\(tokenKey)]}", "jwks.json")
    try write(Self.mac.serialized(), "mac.json")
    try write(Self.provider.serialized(), "idp.json")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  static let mac: JSONObject = [
    "loginConfiguration": [
      "clientID": "psso-client", "issuer": "https://idp.example.com", "audience": "https://idp.example.com",
      "tokenEndpointURL": "https://idp.example.com/psso/token", "jwksEndpointURL": "https://idp.example.com/jwks",
      "refreshEndpointURL": "https://idp.example.com/psso/token", "customLoginRequestValues": ["tid": "1"],
    ],
    "deviceSigningKey": "device-signing.jwk", "deviceEncryptionKey": "device-encryption.jwk",
    "user": ["loginUserName": "jane@example.com"],
    "login": ["method": "password", "password": "correct horse"], "groups": ["staff"],
    "identityProviderKeys": "jwks.json", "otherKey": "other.pub.jwk",
  ]

  static let provider: JSONObject = [
    "identityProvider": [
      "issuer": "https://idp.example.com", "clientIDs": ["psso-client"], "audience": "https://idp.example.com",
      "tokenEndpointURL": "https://idp.example.com/psso/token", "clientRequestID": "boundToServerNonce",
      "loginRequestEncryptionAPVPrefix": "EXAMPLE",
    ],
    "secret": "idp-secret.jwk", "idTokenKey": "idp-token.jwk", "loginRequestDecryptionKeys": ["idp-login.jwk"],
    "devices": [
      ["id": "mac-1", "signingKey": "device-signing.pub.jwk", "encryptionKey": "device-encryption.pub.jwk"]
    ],
    "users": [
      [
        "name": "jane@example.com", "subject": "5b1f8c3e", "password": "correct horse",
        "claims": ["name": "Jane Example", "groups": ["staff"]],
        "keys": [["device": "mac-1", "key": "user.pub.jwk"]], "codes": ["code-1"],
        "smartCards": [["certificate": "card.der", "key": "card.pub.jwk"]],
      ]
    ],
  ]

  func write(_ bytes: [UInt8], _ name: String) throws { try Data(bytes).write(to: path(name)) }
  func write(_ text: String, _ name: String) throws { try write(Array(text.utf8), name) }
  func path(_ name: String) -> URL { folder.appendingPathComponent(name) }
  func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: path(name))) }
  func object(_ name: String) throws -> JSONObject { try JSONObject(parsing: read(name)) }

  /// Changes a configuration file.
  func edit(_ name: String, _ change: (inout JSONObject) -> Void) throws {
    var object = try object(name)
    change(&object)
    try write(object.serialized(), name)
  }

  /// `jose psso WORDS < input`. A word that ends in a file's extension names a file in the folder.
  @discardableResult
  func run(_ words: String, input: String? = nil, output: String? = nil) throws -> CommandRun {
    let arguments = words.split(separator: " ").map { word in
      [".json", ".mobileconfig"].contains(where: word.hasSuffix) ? path(String(word)).path : String(word)
    }
    let streams = Streams()
    let input = try input.map { try read($0) } ?? []
    let console = Console(
      readInput: { input }, readFile: Console.standard.readFile,
      write: { bytes in streams.output.withLock { $0 += bytes } },
      writeError: { line in streams.errors.withLock { $0.append(line) } })
    let status = JOSECommand(console: console).run(["psso"] + arguments)
    let run = CommandRun(
      status: status, output: streams.output.withLock { $0 }, errors: streams.errors.withLock { $0 })
    if let output { try write(run.output, output) }
    return run
  }

  /// A server nonce, asked for and given: `nonce-request.json` and `nonce.json`.
  func fetchNonce() throws {
    try run("nonce-request --config mac.json", output: "nonce-request.json")
    try run("respond --config idp.json", input: "nonce-request.json", output: "nonce.json")
  }
}
