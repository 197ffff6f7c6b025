import AppleSignInKit
import JOSE
import PlatformSSOKit
import StrictJSON
import Testing

@testable import PureJOSECommand

/// A way in which a key set comes in.
struct KeySetReader: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Verifies a token with a set, given as text.
  let verify: @Sendable (_ set: String, _ token: String) async throws -> Void

  /// Every way that ends in a set: whatever else has one, as a client of OpenID Connect, takes a `RemoteKeySet`.
  static let all: [KeySetReader] = [
    KeySetReader("a fetched set") { try check($1, with: JWKSet(parsing: $0)) },
    KeySetReader("the program's own set") { try check($1, with: JWKSet(parsing: $0, acceptsSecretKeys: true)) },
    KeySetReader("Codable") { try check($1, with: StrictJSONDecoder().decode(JWKSet.self, from: $0.utf8)) },
    KeySetReader("an encrypted set") { set, token in
      let key = try DecryptionKey(JWK.generate(KeyManagementAlgorithm.a256kw))
      let sealed = try JWE.encrypt(
        Array(set.utf8), to: key.encryptionKey, header: HeaderParameters(contentType: "jwk-set+json"))
      let opened = try JWKSet(decrypting: sealed, with: key, contentEncryption: ContentEncryptionAlgorithm.allCases)
      try check(token, with: opened)
    },
    KeySetReader("RemoteKeySet") { set, token in
      let remote = RemoteKeySet(url: "https://idp.example.com/jwks", transport: answering(set))
      try await check(token, with: remote.keys(for: KeySetReaderTests.key.keyID))
    },
    KeySetReader("RemoteJWTVerifier") { set, token in
      let remote = RemoteKeySet(url: "https://idp.example.com/jwks", transport: answering(set))
      let verifier = RemoteJWTVerifier(
        keys: remote, algorithms: [.es256, .mlDSA44], issuer: "https://a.example", audience: "api")
      _ = try await verifier.verify(token)
    },
    KeySetReader("a Mac's keys for ID tokens") { set, token in
      for acceptsShortCoordinates in [false, true] {
        var configuration = LoginConfiguration.twocanoes(
          baseURL: "https://idp.example.com", host: "idp.example.com")
        configuration.acceptsShortCoordinates = acceptsShortCoordinates
        try check(token, with: configuration.idTokenKeys(parsing: Array(set.utf8)))
      }
    },
    KeySetReader("AppleKeyStore") { set, token in
      // Which keys are fetched, a token says that the service might have signed.
      let header = Base64URL.encode(#"{"alg":"RS256","kid":"good"}"#.utf8)
      let asking = "\(header).\(Base64URL.encode("{}".utf8)).AQ"
      try await check(token, with: AppleKeyStore(transport: answering(set)).keys(for: asking))
    },
    KeySetReader("jose verify") { set, token in
      let run = CommandRun(["verify", "--key", "set"], input: token, files: ["set": Array(set.utf8)])
      guard run.status == .done else { throw Refused(errors: run.errors) }
    },
    KeySetReader("jose jwt verify") { set, token in
      let run = CommandRun(
        ["jwt", "verify", "--key", "set", "--iss", "https://a.example", "--aud", "api"], input: token,
        files: ["set": Array(set.utf8)])
      guard run.status == .done else { throw Refused(errors: run.errors) }
    },
    KeySetReader("jose jwks filter") { set, token in
      let run = CommandRun(["jwks", "filter", "--kid", "good"], input: set)
      guard run.status == .done else { throw Refused(errors: run.errors) }
      try check(token, with: JWKSet(parsing: run.output))
    },
  ]

  private struct Refused: Error { let errors: [String] }

  private init(
    _ description: String, _ verify: @escaping @Sendable (_ set: String, _ token: String) async throws -> Void
  ) {
    (testDescription, self.verify) = (description, verify)
  }

  private static func check(_ token: String, with set: JWKSet) throws {
    _ = try JWS.verify(token, with: set, algorithms: [.es256, .mlDSA44])
  }

  private static func answering(_ set: String) -> HTTPTransport {
    { _ in HTTPResponseValue(status: 200, body: Array(set.utf8)) }
  }
}

@Suite("Readers of key sets")
struct KeySetReaderTests {
  static let key = JWK.generate(.es256, keyID: "good")
  /// One that everybody can read, and that is for another algorithm than the token's.
  static let quantumSafe = JWK.generate(.mlDSA44, keyID: "good")

  /// Entries of which nobody can make a key. Some have the name of the good one.
  static let strangers = [
    #"{"kty":"AKP","kid":"pq","alg":"SLH-DSA-SHA2-128s","pub":"AA"}"#,
    #"{"kty":"AKP","kid":"good","alg":"ML-DSA-99","pub":"AA","use":"sig"}"#,
    #"{"kty":"AKP","kid":"good","alg":"HPKE-8","pub":"AA","use":"enc"}"#,
    #"{"kty":"AKP","kid":"good","alg":"ES256","pub":"AA"}"#, #"{"kty":"AKP","kid":"good","pub":"AA"}"#,
    #"{"kty":"AKP","alg":"ML-DSA-44"}"#, #"{"kty":"AKP","alg":"ML-DSA-44","pub":"AA"}"#,
    #"{"kty":"AKP","alg":"ML-DSA-44","pub":5}"#, #"{"kty":"AKP","alg":["ML-DSA-44"],"pub":"AA"}"#,
    #"{"kty":"XYZ","kid":"good"}"#, #"{"kty":"XYZ","kid":"good","alg":"ES256","k":{"a":[1,-2.5e3,{"b":null}]}}"#,
    #"{"kty":5,"kid":"good"}"#, #"{"kty":null}"#, #"{"kid":"good"}"#, #"{"kid":5}"#, "{}",
    #"{"kty":"OKP","crv":"Ed448","kid":"good","x":"AA"}"#, #"{"kty":"OKP","kid":"good","x":"AA"}"#,
    #"{"kty":"EC","crv":"BP-256","kid":"good","x":"AA","y":"AA"}"#,
    #"{"kty":"EC","crv":"secp256k1","kid":"good","x":"AA","y":"AA"}"#,
    #"{"kty":"EC","crv":"P-256","kid":"good","alg":"ES256","x":"AA","y":"AA"}"#,
    #"{"kty":"RSA","kid":"good","n":"AQAB","e":"AQAB"}"#, #"{"kty":"RSA","kid":"good","n":"AQAB"}"#,
    #"{"keys":[]}"#, "null", "5", "true", #""key""#, "[]", "[{}]",
  ]

  private func signed() throws -> String {
    let claims: JSONObject = ["iss": "https://a.example", "sub": "jane", "aud": "api", "exp": 2_000_000_000]
    return try JWT.sign(claims, with: SigningKey(Self.key))
  }

  @Test("unknown keys in a set don't keep the others from verifying", arguments: KeySetReader.all)
  func strangers(_ reader: KeySetReader) async throws {
    let token = try signed()
    let good = String(decoding: try Self.key.serialized(), as: UTF8.self)
    let quantumSafe = String(decoding: try Self.quantumSafe.serialized(), as: UTF8.self)
    var sets = Self.strangers.flatMap { [[good, $0], [$0, good]] }
    sets += [[good], [quantumSafe, good], Self.strangers + [quantumSafe, good] + Self.strangers]
    for entries in sets {
      let set = #"{"keys":[\#(entries.joined(separator: ","))],"more":1}"#
      do {
        try await reader.verify(set, token)
      } catch {
        Issue.record("\(error) of \(set)")
      }
    }
    // And no key is taken for the good one that is not.
    let others = #"{"keys":[\#((Self.strangers + [quantumSafe]).joined(separator: ","))]}"#
    await #expect(throws: (any Error).self) { try await reader.verify(others, token) }
  }
}
