import AppleSignInKit
import IdentityTesting
import JOSE
import OpenIDKit
import PureCrypto
import StrictJSON

extension Mistake {
  static let encryption: [Mistake] = [
    Mistake("an empty password", says: "password", "empty") {
      _ = try EncryptionKey(password: [], algorithm: .pbes2HS256A128KW)
    },
    Mistake("too few iterations", says: "p2c", "1000") {
      _ = try EncryptionKey(password: Bench.password, algorithm: .pbes2HS256A128KW, iterationCount: 10)
    },
    Mistake("an algorithm without a password", says: "password", "PBES2") {
      _ = try EncryptionKey(password: Bench.password, algorithm: .ecdhES)
    },
    Mistake("too many iterations", says: "p2c", "Limits") {
      let token = Bench.token(
        header: #"{"alg":"PBES2-HS256+A128KW","enc":"A256GCM","p2s":"AAAAAAAAAAA","p2c":9000000}"#)
      try decrypt(token.prefix { $0 != "." } + ".AAAA.AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA")
    },
    Mistake("the wrong password", says: "could not be opened", "key") {
      let key = try DecryptionKey(password: Array("other".utf8), algorithm: .pbes2HS256A128KW)
      _ = try JWE.decrypt(Bench.encrypted(), with: key, contentEncryption: [.a256gcm, .a128cbcHS256, .a256cbcHS512])
    },
    Mistake("another content encryption", says: "enc", "contentEncryption") {
      let key = try DecryptionKey(password: Bench.password, algorithm: .pbes2HS256A128KW)
      _ = try JWE.decrypt(Bench.encrypted(), with: key, contentEncryption: [.a192gcm])
    },
    Mistake("a public key to decrypt with", says: "public key", "decrypt", "private") {
      _ = try DecryptionKey(JWK(JWK.generateForKeyAgreement().publicJSONObject()))
    },
    Mistake("a direct key of another length", says: "(k)", "length", "A256GCM") {
      let key = try JWK(parsing: #"{"kty":"oct","k":"AAECAwQFBgcICQ"}"#)
      _ = try JWE.encrypt([1], to: EncryptionKey(key, algorithm: .dir), contentEncryption: .a256gcm)
    },
    Mistake("a key of another length", says: "(k)", "length", "A256KW") {
      let key = try JWK(parsing: #"{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODw"}"#)
      _ = try EncryptionKey(key, algorithm: .a256kw)
    },
    Mistake("no recipients", says: "recipient", "at least one") { _ = try JWE.encryptJSON([1], to: []) },
    Mistake("only encrypted for a public key", says: "signAndEncrypt") {
      _ = try JWT.encrypt(Bench.claims(), to: EncryptionKey(JWK.generateForKeyAgreement()))
    },
    Mistake("a signing key to encrypt with", says: "signatures", "encryption") { _ = try EncryptionKey(Bench.jwk) },
  ]

  private static func decrypt(_ token: some StringProtocol) throws {
    let key = try DecryptionKey(password: Bench.password, algorithm: .pbes2HS256A128KW)
    _ = try JWE.decrypt(String(token), with: key, contentEncryption: [.a256gcm])
  }

  static let documents: [Mistake] = [
    Mistake("metadata of another issuer", says: "issuer", "another") {
      try Bench.metadata(#"{"issuer":"https://other.example.com","jwks_uri":"https://a.example/k"}"#)
    },
    Mistake("metadata of an issuer with a slash", says: "issuer", "slash") {
      try Bench.metadata(#"{"issuer":"https://idp.example.com/","jwks_uri":"https://a.example/k"}"#)
    },
    Mistake("metadata without issuer", says: "issuer", "no issuer") { try Bench.metadata("{}") },
    Mistake("metadata without keys", says: "jwks_uri", "no jwks_uri") {
      try Bench.metadata(#"{"issuer":"https://idp.example.com"}"#)
    },
    Mistake("keys by http in the metadata", says: "jwks_uri", "https") {
      try Bench.metadata(#"{"issuer":"https://idp.example.com","jwks_uri":"http://a.example/k"}"#)
    },
    Mistake("keys by http", says: "(url)", "https") { try await Bench.fetch("{}", url: "http://a.example/k") },
    Mistake("an issuer by http", says: "issuer", "https URL") {
      _ = try IssuerMetadata.url(of: "http://idp.example.com", kind: .openID)
    },
    Mistake("HTML for keys", says: "HTML", "URL") { try await Bench.fetch("<!doctype html><title>Sign in</title>") },
    Mistake("no page there", says: "404", "URL") { try await Bench.fetch("", status: 404) },
    Mistake("a server in trouble", says: "status", "later") { try await Bench.fetch("", status: 502) },
    Mistake("a page that moved", says: "redirect", "URL") { try await Bench.fetch("", status: 302) },
    Mistake("no usable keys", says: "no key", "unsupportedKeys") { try await Bench.fetch(#"{"keys":[]}"#) },
    Mistake("a server that says nothing", says: "too long", "timeLimit") {
      var policy = RemoteKeySetPolicy.default
      policy.timeLimit = .milliseconds(50)
      let set = RemoteKeySet(url: "https://a.example/k", policy: policy) { _ in
        try await Task.sleep(for: .seconds(60))
        return HTTPResponseValue(status: 200)
      }
      _ = try await set.keys()
    },
    Mistake("a request that never left", says: "did not reach", "URL") { throw RequestNotSent() },
    Mistake("a store of records that is full", says: "full", "503") { throw RecordStoreFull() },
    Mistake("a server that isn't there", says: "fetched", "network") {
      let set = RemoteKeySet(url: "https://a.example/k") { _ in throw CancellationError() }
      _ = try await set.keys()
    },
  ]

  static let kits: [Mistake] = [
    Mistake("a refresh token used twice", says: "refresh token", "twice") {
      try await refresh(client: "app", times: 2)
    },
    Mistake("another client's refresh token", says: "refresh token", "another client") {
      try await refresh(client: "web", times: 1)
    },
    Mistake("no refresh token", says: "refresh token", "this service") {
      _ = try await service().check(RefreshRedemption(refreshToken: "abc", clientID: "app"))
    },
    Mistake("Apple's secret for more than six months", says: "15 777 000", "six months") {
      _ = try appleSigner().clientSecret(for: "com.example.web", lifetime: 16_000_000)
    },
    Mistake("another Team ID", says: "Team ID", "10 capitals") { _ = try appleSigner(teamID: "com.example") },
    Mistake("another key identifier", says: "key identifier", "10 capitals") { _ = try appleSigner(keyID: "key.p8") },
    Mistake("Apple's key as a public key", says: "private key", "p8") {
      _ = try AppleClientSecretSigner(p8: Bench.publicPEM, teamID: "TEAM123456", keyID: "ABC123DEFG")
    },
    Mistake("a Team ID as a client identifier", says: "client", "Services ID") {
      _ = try appleSigner().clientSecret(for: "TEAM123456")
    },
    Mistake("a key that isn't Apple's form of one", says: "ES256", "P-256") {
      let key = try SigningKey.generate(.hs256)
      _ = try AppleClientSecretSigner(key: key, teamID: "TEAM123456", keyID: "ABC123DEFG")
    },
  ]

  private static func service() throws -> RefreshTokenService {
    var policy = RotationPolicy()
    policy.graceMode = .off
    return try RefreshTokenService(
      policy: policy, format: RefreshTokenFormat(key: [UInt8](repeating: 7, count: 32)), sessions: EndlessSessions(),
      clock: Bench.clock)
  }

  private static func refresh(client: String, times: Int) async throws {
    let service = try service()
    let token = try await service.issue(RefreshGrant(subject: "jane", clientID: "app", scope: ["openid"])).refreshToken
    for _ in 0..<times {
      _ = try await service.redeem(RefreshRedemption(refreshToken: token, clientID: client)) { _ in 0 }
    }
  }

  private static func appleSigner(
    teamID: String = "TEAM123456", keyID: String = "ABC123DEFG"
  ) throws -> AppleClientSecretSigner {
    try AppleClientSecretSigner(p8: Bench.pem, teamID: teamID, keyID: keyID)
  }
}
