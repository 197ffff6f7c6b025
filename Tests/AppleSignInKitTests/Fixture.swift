import JOSE
import IdentityTesting
import PureCrypto
import StrictJSON
import Synchronization

@testable import AppleSignInKit

/// The actors of the tests. ES256 stands in for Apple's RS256 through the same code.
struct Fixture {
  static let now = 1_760_000_100
  let clock = WallClock.fixed(at: NumericDate(Fixture.now))
  let service = AppleService(
    issuer: "https://appleid.apple.com", authorizationURL: "https://appleid.apple.com/auth/authorize",
    tokenURL: "https://appleid.apple.com/auth/token", revocationURL: "https://appleid.apple.com/auth/revoke",
    keysURL: "https://appleid.apple.com/auth/keys", signatureAlgorithmNames: ["ES256"])
  let serviceKey: SigningKey
  let clientKey: SigningKey
  let user = AppleStandInUser(
    id: "u1", givenName: "Zoë Ann", familyName: "O'Brien", email: "zoe@example.com", hidesEmail: true)

  static let clientID = "com.example.web"
  static let teamID = "TEAM123456"
  static let keyID = "ABC123DEFG"
  static let code = "c1a2b3c4d5e6f708192a3b4c5d6e7f809.0.synth.Zm9vYmFyYmF6cXV4"
  static let accessToken = "a9f8e7d6c5b4a39281706f5e4d3c2b1a0.0.synth.QWNjZXNzVG9rZW4"
  static let subject = "000000.0123456789abcdef0123456789abcdef.0001"

  init() throws {
    serviceKey = try SigningKey.generate(.es256, keyID: "SYNTHKEY01")
    clientKey = try SigningKey(JWK(parsing: Printed.clientJWK), algorithm: .es256)
  }

  var keys: JWKSet { JWKSet([serviceKey.verificationKey.publicJWK].compactMap { $0 }) }

  func redirectURI() throws -> AppleRedirectURI { try AppleRedirectURI("https://www.example.com/apple/callback") }

  func client() throws -> AppleStandInClient {
    AppleStandInClient(
      clientID: Fixture.clientID, teamID: Fixture.teamID, group: "com.example",
      redirectURIs: [
        try redirectURI(), try AppleRedirectURI("https://www.example.com:8443/cb?tenant=7"),
      ],
      secretKeys: [
        try VerificationKey(JWK(parsing: Printed.clientJWK), algorithm: .es256)
      ])
  }

  func standIn(clock: WallClock? = nil, text: Bool = false) throws -> AppleStandIn {
    AppleStandIn(
      service: service, clients: [try client()], signingKey: serviceKey, writesBooleansAsText: text,
      clock: clock ?? self.clock)
  }

  func signer(clock: WallClock? = nil) throws -> AppleClientSecretSigner {
    try AppleClientSecretSigner(
      key: clientKey, teamID: Fixture.teamID, keyID: Fixture.keyID, service: service, clock: clock ?? self.clock)
  }

  func pending(
    _ responseType: AppleResponseType = .code, mode: AppleResponseMode = .formPost,
    scopes: Set<AppleScope> = [.name, .email], nonce: AppleNonce? = nil, startedAt: Int = Fixture.now - 100
  ) throws -> ApplePendingSignIn {
    ApplePendingSignIn(
      clientID: Fixture.clientID, redirectURI: try redirectURI(), responseType: responseType, responseMode: mode,
      scopes: scopes, state: "st-8d0b7e", nonce: nonce, startedAt: NumericDate(startedAt))
  }

  func verifier(now: Int = Fixture.now) -> AppleIdentityTokenVerifier {
    AppleIdentityTokenVerifier(
      audiences: [Fixture.clientID], service: service, clock: .fixed(at: NumericDate(now)))
  }

  /// The claims of token F.
  static let claimsF: JSONObject = [
    "iss": "https://appleid.apple.com", "aud": "com.example.web", "exp": 1_760_086_400, "iat": 1_760_000_000,
    "sub": .string(subject), "nonce": "n-5f2c9a", "c_hash": "vU8sYNqJoxQ6e6Yi6fRsTA",
    "email": "synth7user@privaterelay.appleid.com", "email_verified": "true", "is_private_email": "true",
    "auth_time": 1_759_999_995, "nonce_supported": true,
  ]

  /// The claims of token T.
  static var claimsT: JSONObject {
    var claims = claimsF
    claims["c_hash"] = nil
    claims["at_hash"] = "5Tvixh1AuWgOsaKyPR_VfQ"
    claims["email_verified"] = true
    claims["is_private_email"] = true
    return claims
  }

  func token(_ claims: JSONObject) throws -> String { try JWT.sign(claims, with: serviceKey, type: nil) }

  func nonce() throws -> AppleNonce { try AppleNonce(raw: "n-5f2c9a") }

  static func post(_ body: String, type: String = "application/x-www-form-urlencoded") -> HTTPRequestValue {
    HTTPRequestValue(
      method: "POST", url: "https://www.example.com/apple/callback",
      headers: HTTPHeaderFields(known: [("Content-Type", type)]), body: Array(body.utf8))
  }
}

/// What a call threw, or nil.
func failure(_ body: () throws -> Void) -> JOSEError? {
  do {
    try body()
    return nil
  } catch {
    return error as? JOSEError
  }
}

/// What a call threw, or nil.
func failure(_ body: () async throws -> Void) async -> JOSEError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? JOSEError
  }
}

/// A clock that tests move.
final class ManualClock: Sendable {
  private let seconds: Mutex<Int>

  init(_ seconds: Int) { self.seconds = Mutex(seconds) }

  var now: Int { seconds.withLock { $0 } }

  func move(to seconds: Int) { self.seconds.withLock { $0 = seconds } }

  var wallClock: WallClock { WallClock { NumericDate(self.now) } }
}
