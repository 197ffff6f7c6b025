import IdentityTesting
import JOSE
import StrictJSON
import Testing

@testable import AppleSignInKit
@testable import NativeSSOKit
@testable import OpenIDKit
@testable import PlatformSSOKit

/// The rules of an ID token, each with tokens that keep it and break it, by everything in the package that verifies ID
/// tokens: the verdicts are the same, because the rules are. A Mac alone looks at less.
///
/// Source: OpenID Connect Core 1.0 (errata set 2) §2, §3.1.3.7, §3.3.2.11, §12.2; for the Mac's verdicts Apple,
/// Processing the JSON Web Encryption (JWE) login response.
@Suite struct IDTokenRuleTests {
  /// What verifies ID tokens in this package.
  enum Verifier: CaseIterable {
    /// `JWTPolicy.idToken`.
    case policy
    /// A login by `OpenIDClient`.
    case login
    /// A refresh of such a login, by its `TokenManager`.
    case refresh
    /// A login by Native SSO.
    case nativeSSO
    /// A refresh by Native SSO.
    case nativeSSORefresh
    /// Sign in with Apple.
    case apple
    /// A refresh of Sign in with Apple.
    case appleRefresh
    /// A Platform SSO login.
    case device
    /// A provider, of its own ID tokens that clients send back: `JWTPolicy.idTokenHint`.
    case hint
    /// The exchange of a Native SSO provider.
    case exchange
  }

  /// The verifiers of tokens that answer no login: they know the login's token, and need no nonce.
  private static let refreshes: Set<Verifier> = [.refresh, .nativeSSORefresh, .appleRefresh]

  /// The verifiers of their own tokens: these know no single client, no login, and accept any age.
  private static let issuers: Set<Verifier> = [.hint, .exchange]

  struct Rule: Sendable, CustomStringConvertible {
    let description: String
    /// Claims that change, each with its value; nil removes it.
    var claims: [(String, JSONValue?)] = []
    /// `typ`, if it is not `JWT`; nil removes it.
    var type: String?? = .none
    var isGood = false
    /// Whether a Mac takes the token, where it differs from the others.
    var isGoodForMac: Bool?
    /// Verifiers that the rule doesn't concern.
    var except: Set<Verifier> = []
  }

  static let now = 1_760_000_000
  static let issuer = "https://op.example.com"

  static let rules: [Rule] = [
    Rule(description: "nothing changed", isGood: true),
    // Issuer.
    Rule(description: "another issuer", claims: [("iss", "https://evil.example.com")]),
    Rule(description: "an issuer with a slash", claims: [("iss", "https://op.example.com/")]),
    Rule(description: "no issuer", claims: [("iss", nil)]), Rule(description: "issuer no text", claims: [("iss", 7)]),
    // Audience and authorized party.
    Rule(description: "another audience", claims: [("aud", "other")], except: issuers),
    Rule(description: "no audience", claims: [("aud", nil)]),
    Rule(description: "empty audience", claims: [("aud", [])]),
    Rule(description: "audience as a list", claims: [("aud", ["client"])], isGood: true),
    Rule(description: "the same with azp", claims: [("aud", ["client"]), ("azp", "client")], isGood: true),
    Rule(
      description: "an audience that isn't trusted", claims: [("aud", ["client", "other"])], isGoodForMac: true,
      except: [.hint]),
    Rule(
      description: "the same with azp", claims: [("aud", ["client", "other"]), ("azp", "client")], isGoodForMac: true,
      except: issuers),
    Rule(
      description: "the same with another's azp", claims: [("aud", ["client", "other"]), ("azp", "other")],
      except: issuers),
    Rule(description: "a list of others", claims: [("aud", ["other", "third"])], except: issuers),
    Rule(description: "azp is the client", claims: [("azp", "client")], isGood: true),
    Rule(description: "azp is another", claims: [("azp", "other")], except: issuers),
    Rule(description: "azp no text", claims: [("azp", 7)]),
    // Null says nothing: of a claim that may be absent it is as good as none, of another it is none.
    Rule(
      description: "null of claims that may be absent",
      claims: ["azp", "nbf", "jti", "acr", "amr", "auth_time", "sid", "at_hash", "c_hash", "s_hash", "ds_hash"].map {
        ($0, .null)
      }, isGood: true),
    Rule(description: "null issuer", claims: [("iss", .null)]),
    Rule(description: "null expiration", claims: [("exp", .null)]),
    Rule(description: "null date of issue", claims: [("iat", .null)]),
    Rule(description: "null nonce", claims: [("nonce", .null)], except: refreshes.union(issuers)),
    Rule(
      description: "null nonce", claims: [("nonce", .null)], isGood: true,
      except: Set(Verifier.allCases).subtracting(refreshes).subtracting(issuers)),
    // Times.
    Rule(description: "expired", claims: [("exp", .number(JSONNumber(now - 60)))], except: issuers),
    Rule(
      description: "expired within the leeway", claims: [("exp", .number(JSONNumber(now - 59)))], isGood: true,
      isGoodForMac: false),
    Rule(description: "a moment left", claims: [("exp", .number(JSONNumber(now + 1)))], isGood: true),
    Rule(description: "no expiration", claims: [("exp", nil)]),
    Rule(description: "exp no number", claims: [("exp", "1")]),
    Rule(
      description: "exp in milliseconds", claims: [("exp", .number(JSONNumber(now * 1000)))], isGoodForMac: true,
      except: issuers),
    Rule(description: "no iat", claims: [("iat", nil)]),
    Rule(description: "issued in the future", claims: [("iat", .number(JSONNumber(now + 61)))]),
    Rule(description: "issued within the leeway", claims: [("iat", .number(JSONNumber(now + 60)))], isGood: true),
    Rule(description: "not valid yet", claims: [("nbf", .number(JSONNumber(now + 61)))]),
    Rule(description: "valid just now", claims: [("nbf", .number(JSONNumber(now)))], isGood: true),
    // Subject.
    Rule(description: "no subject", claims: [("sub", nil)]), Rule(description: "empty subject", claims: [("sub", "")]),
    Rule(description: "subject of spaces", claims: [("sub", "  ")], isGoodForMac: true),
    Rule(description: "subject with NUL", claims: [("sub", "a\u{0}")], isGoodForMac: true),
    Rule(description: "subject of words", claims: [("sub", "a b")], isGood: true),
    Rule(description: "subject not ASCII", claims: [("sub", "é")], isGoodForMac: true),
    Rule(description: "subject no text", claims: [("sub", 1)]),
    Rule(
      description: "long subject", claims: [("sub", .string(String(repeating: "x", count: 256)))], isGoodForMac: true),
    // Nonce.
    Rule(description: "another nonce", claims: [("nonce", "m")], except: issuers),
    Rule(description: "nonce no text", claims: [("nonce", 7)]),
    Rule(description: "no nonce", claims: [("nonce", nil)], except: refreshes.union(issuers)),
    Rule(
      description: "no nonce", claims: [("nonce", nil)], isGood: true,
      except: Set(Verifier.allCases).subtracting(refreshes).subtracting(issuers)),
    // Hashes.
    Rule(
      description: "at_hash", claims: [("at_hash", .string(SignatureAlgorithm.es256.leftHalfHash(of: "at")))],
      isGood: true),
    Rule(
      description: "at_hash of another", claims: [("at_hash", .string(SignatureAlgorithm.es256.leftHalfHash(of: "x")))],
      isGoodForMac: true, except: issuers),
    Rule(description: "at_hash no text", claims: [("at_hash", 7)], isGoodForMac: true),
    Rule(description: "c_hash no text", claims: [("c_hash", 7)], isGoodForMac: true),
    Rule(description: "ds_hash no text", claims: [("ds_hash", 7)], isGoodForMac: true),
    // How the user authenticated.
    Rule(description: "auth_time", claims: [("auth_time", .number(JSONNumber(now - 100)))], isGood: true),
    Rule(description: "auth_time no number", claims: [("auth_time", "now")], isGoodForMac: true),
    Rule(
      description: "authenticated in the future", claims: [("auth_time", .number(JSONNumber(now + 61)))],
      isGoodForMac: true),
    Rule(description: "acr", claims: [("acr", "1")], isGood: true),
    Rule(description: "acr no text", claims: [("acr", 1)], isGoodForMac: true),
    Rule(description: "amr", claims: [("amr", ["pwd", "otp"])], isGood: true),
    Rule(description: "amr no list", claims: [("amr", "pwd")], isGoodForMac: true),
    Rule(description: "amr of numbers", claims: [("amr", [1])], isGoodForMac: true),
    Rule(description: "sid", claims: [("sid", "s")], isGood: true),
    Rule(description: "sid no text", claims: [("sid", 1)], isGoodForMac: true),
    // The kind of token.
    Rule(description: "a logout token", claims: [("events", [:])]),
    Rule(description: "no type", type: .some(nil), isGood: true),
    Rule(description: "an access token", type: "at+jwt"),
    Rule(description: "a logout token's type", type: "logout+jwt"),
  ]

  // MARK: What is written

  @Test(arguments: 0..<64) func `every verifier accepts each ID token that a draft writes`(choice: Int) async throws {
    func chosen<Value>(_ bit: Int, _ value: Value) -> Value? { choice >> bit & 1 == 1 ? value : nil }
    let subject = ["alice", "a b", String(repeating: "~", count: 255)][choice % 3]
    var draft = IDTokenDraft(
      issuer: Self.issuer, clientID: "client", subject: subject, issuedAt: NumericDate(Self.now),
      lifetime: .seconds(300))
    draft.nonce = "n"
    draft.authenticationTime = chosen(0, NumericDate(Self.now - 100))
    draft.authenticationContext = chosen(1, "urn:example:é")
    draft.authenticationMethods = chosen(2, choice % 2 == 0 ? [] : ["pwd", "otp"])
    draft.sessionID = chosen(3, "s")
    draft.accessToken = chosen(4, "at")
    draft.deviceSecretHash = chosen(5, "hash")
    let user: JSONObject = ["name": "Jane", "groups": ["a", "b"], "address": ["locality": "Ely"], "age": 7]
    try draft.add(user)
    let token = try draft.signed(with: Self.key.get())
    for verifier in Verifier.allCases {
      let isAccepted = try await Self.accepts(token, verifier)
      #expect(isAccepted, "\(verifier)")
    }
    let claims = try #require(try UnverifiedJWS(parsing: token).unverifiedClaims)
    #expect(claims["sub"] == .string(subject) && claims["aud"] == "client" && claims["nonce"] == "n")
    #expect(claims["auth_time"]?.doubleValue == draft.authenticationTime?.secondsSince1970)
    #expect(claims["acr"]?.stringValue == draft.authenticationContext)
    #expect(claims["amr"]?.arrayValue?.compactMap(\.stringValue) == draft.authenticationMethods)
    #expect(claims["sid"]?.stringValue == draft.sessionID)
    #expect((claims["at_hash"] != nil) == (draft.accessToken != nil))
    #expect(claims["ds_hash"]?.stringValue == draft.deviceSecretHash)
    for (name, value) in user.members { #expect(claims[name] == value, "\(name)") }
  }

  /// The rules about the form of a claim, which a writer can keep by itself.
  private static let forms = rules.filter { rule in
    !rule.isGood && rule.type == nil
      && ["no text", "no list", "of numbers", "no number", "NUL", "not ASCII", "a logout token"].contains {
        rule.description.hasSuffix($0)
      } || ["empty subject", "subject of spaces", "long subject", "no subject"].contains(rule.description)
  }.filter { rule in !["iss", "exp"].contains(rule.claims[0].0) }

  @Test(arguments: forms) func `an ID token with a claim that each verifier refuses can't be signed`(rule: Rule) throws
  {
    let (name, value) = rule.claims[0]
    var claims = JWTClaims.idToken(
      issuer: Self.issuer, clientID: "client", subject: "alice", nonce: nil, lifetime: .seconds(300))
    if name == "sub" {
      claims.subject = value.map { $0.stringValue ?? "" }
    } else if let value {
      try claims.set(name, to: value)
    }
    let error = #expect(throws: JOSEError.self) { _ = try JWT.sign(claims, with: try Self.key.get()) }
    #expect(error?.code == .callerMisuse && error?.name == name)
    guard name == "sub" else { return }
    let draft = IDTokenDraft(
      issuer: Self.issuer, clientID: "client", subject: claims.subject ?? "", issuedAt: NumericDate(Self.now),
      lifetime: .seconds(300))
    #expect(throws: JOSEError.self) { _ = try draft.signed(with: try Self.key.get()) }
  }

  private static let key = Result { try SigningKey.generate(.es256, keyID: "k") }
  private static let clock = WallClock.fixed(at: NumericDate(saturating: Double(now)))

  private static var login: JSONObject {
    [
      "iss": .string(issuer), "sub": "alice", "aud": "client", "iat": .number(JSONNumber(now)),
      "exp": .number(JSONNumber(now + 300)), "nonce": "n",
    ]
  }

  private static func token(_ rule: Rule) throws -> String {
    var claims = login
    for (name, value) in rule.claims { claims[name] = value }
    var header: JSONObject = ["alg": "ES256", "kid": "k", "typ": "JWT"]
    if let type = rule.type { header["typ"] = type.map { .string($0) } }
    let key = try key.get()
    let input = "\(Base64URL.encode(header.serialized())).\(Base64URL.encode(claims.serialized()))"
    return "\(input).\(Base64URL.encode(try key.signature(for: Array(input.utf8))))"
  }

  private static func accepts(_ token: String, _ verifier: Verifier) async throws -> Bool {
    switch verifier {
    case .policy:
      var request = IDTokenRequest(nonce: "n")
      request.accessToken = "at"
      let policy = JWTPolicy.idToken(
        from: .openID(issuer: issuer), clientID: "client", answering: request, clock: clock)
      return try await isGood { try JWTVerifier(keys: keys, algorithms: [.es256], policy: policy).verify(token) }
    case .login:
      var request = IDTokenRequest(nonce: "n")
      request.accessToken = "at"
      return try await isGood { [request] in try await client.verifier(answering: request).verify(token) }
    case .nativeSSO:
      var request = IDTokenRequest(nonce: "n")
      request.accessToken = "at"
      return try await isGood { [request] in
        try await nativeSSO.openIDClient(FinishedLogins()).verified(token, answering: request)
      }
    case .refresh, .nativeSSORefresh:
      // The login's token has what the renewed one has, so that no rule is hidden by the comparison.
      let claims = try? UnverifiedJWS(parsing: token).unverifiedClaims
      let kept = ["iss", "sub", "aud", "azp", "auth_time"].map { ($0, claims?[$0]) }
      return try await accepts(token, verifier, continuing: Self.token(Rule(description: "", claims: kept)))
    case .apple:
      return try await isGood {
        try apple.verify(
          token, keys: keys, nonce: AppleNonce(raw: "n", form: .exact), origin: .tokenResponse(accessToken: "at"))
      }
    case .appleRefresh:
      return try await isGood {
        try apple.verifyRefreshed(
          parsed: SignedByApple.parsed(token), keys: keys, nonce: AppleNonce(raw: "n", form: .exact),
          accessToken: "at")
      }
    case .device:
      let device = try device
      return try await isGood { try device.verifiedIDToken(token, clientNonce: "n", keys: keys) }
    case .hint:
      let policy = JWTPolicy.idTokenHint(issuer: issuer, clock: clock)
      return try await isGood { try JWTVerifier(keys: keys, algorithms: [.es256], policy: policy).verify(token) }
    case .exchange:
      let provider = try provider
      let exchange = try ExchangeValidation(
        native: #require(provider.native), provider: provider, settings: NativeSSOSettings(),
        client: RegisteredClient(id: "client", authentication: .none, redirectURIs: []), now: clock.now)
      return (try? exchange.verifySignature(token)) != nil
    }
  }

  /// Whether a refresh accepts a token after a login with another.
  private static func accepts(_ token: String, _ verifier: Verifier, continuing login: String) async throws -> Bool {
    let nativeSSO = try nativeSSO
    let check =
      verifier == .nativeSSORefresh
      ? IDTokenCheck { token, accessToken in
        try await IDTokenVerification(configuration: nativeSSO).renewed(token, accessToken: accessToken).claims
      } : try client.idTokenCheck
    return await check.verdict(
      on: TokenAnswer(accessToken: "at", expiresIn: .seconds(300), refreshToken: nil, idToken: token),
      continuing: login)
      == .good
  }

  /// Whether a token passes. An error that is none of the token's fails the test.
  private static func isGood<Verified>(_ verify: () async throws -> Verified) async throws -> Bool {
    do {
      _ = try await verify()
      return true
    } catch let error as JOSEError where error.fault != .callerMisuse {
      return false
    } catch let error as OpenIDError where error.fault != .callerMisuse {
      return false
    }
  }

  private static var keys: JWKSet {
    get throws { JWKSet([try #require(key.get().verificationKey.publicJWK)]) }
  }

  private static var device: PlatformSSODevice {
    get throws {
      try PlatformSSODevice(
        configuration: LoginConfiguration(
          clientID: "client", issuer: issuer, audience: issuer, tokenEndpointURL: issuer + "/token",
          jwksEndpointURL: issuer + "/jwks"), keys: .generate(), clock: clock)
    }
  }

  private static var nativeSSO: NativeSSOClientConfiguration {
    get throws {
      let keys = try keys
      return NativeSSOClientConfiguration(
        clientID: "client", redirectURI: "a:/cb",
        metadata: try OpenIDProviderMetadata(
          issuer: issuer, authorizationEndpoint: issuer + "/authorize", tokenEndpoint: issuer + "/token",
          keySetURL: issuer + "/jwks"),
        keys: { _ in keys }, transport: { _ in throw CancellationError() }, clock: clock)
    }
  }

  private static var provider: OpenIDProvider {
    get throws {
      try MemoryProvider(issuer: issuer, clients: [], keys: IssuerKeys(signing: key.get()), clock: clock).provider
    }
  }

  private static var apple: AppleIdentityTokenVerifier {
    let service = AppleService(
      issuer: issuer, authorizationURL: issuer, tokenURL: issuer, revocationURL: issuer, keysURL: issuer,
      signatureAlgorithmNames: ["ES256"])
    return AppleIdentityTokenVerifier(audiences: ["client"], service: service, clock: clock)
  }

  private static var client: OpenIDClient {
    get throws {
      let keys = try keys
      return try OpenIDClient(
        clientID: "client", redirectURI: "https://site.example.com/cb",
        provider: OpenIDProviderMetadata(
          issuer: issuer, authorizationEndpoint: issuer + "/authorize", tokenEndpoint: issuer + "/token",
          keySetURL: issuer + "/jwks"),
        keys: RemoteKeySet(url: issuer + "/jwks", clock: clock) { _ in
          HTTPResponseValue(status: 200, body: keys.serialized())
        },
        algorithms: [.es256], clock: TokenClock(wall: clock, elapsed: { .zero }, sleep: { _ in }),
        transport: { _ in throw CancellationError() })
    }
  }

  @Test(arguments: rules.indices) func `every verifier says the same of a token`(_ index: Int) async throws {
    let rule = Self.rules[index]
    let token = try Self.token(rule)
    for verifier in Verifier.allCases where !rule.except.contains(verifier) {
      let isGood = verifier == .device ? rule.isGoodForMac ?? rule.isGood : rule.isGood
      #expect(try await Self.accepts(token, verifier) == isGood, "\(rule.description): \(verifier)")
    }
  }

  @Test(arguments: [("oid", "o", true), ("oid", "", false), ("upn", nil, false), ("sub", nil, false)])
  func `a Mac knows the user by the claim of its configuration, and needs no other`(
    _ name: String, _ value: String?, _ isGood: Bool
  ) async throws {
    let claims: [(String, JSONValue?)] = [("sub", nil), (name, value.map { .string($0) })]
    let token = try Self.token(Rule(description: "", claims: claims))
    var device = try Self.device
    device.configuration.uniqueIdentifierClaimName = name
    let mac = device
    let verdict = try await Self.isGood { try mac.verifiedIDToken(token, clientNonce: "n", keys: Self.keys) }
    #expect(verdict == isGood)
  }

  @Test func `strictFault names the claim for which strict clients refuse an ID token`() throws {
    let device = try Self.device
    func fault(_ claims: [(String, JSONValue?)]) throws -> JOSEError? {
      try device.strictFault(
        of: Self.token(Rule(description: "", claims: claims)), clientNonce: "n", keys: Self.keys)
    }
    #expect(try fault([]) == nil)
    #expect(try fault([("amr", "pwd")]) == JOSEError(.claimInvalid, "", name: "amr"))
    #expect(try fault([("aud", ["client", "other"])]) == JOSEError(.claimMismatch, "", name: "aud"))
    #expect(try fault([("sub", nil), ("oid", "o")]) == JOSEError(.claimMissing, "", name: "sub"))
  }

  @Test func `an ID token with a nonce is refused if the request sent none`() async throws {
    let (token, keys) = (try Self.token(Rule(description: "")), try Self.keys)
    #expect(throws: JOSEError.self) {
      try Self.apple.verify(token, keys: keys, nonce: nil, origin: .nativeApp())
    }
    let policy = JWTPolicy.idToken(
      from: .openID(issuer: Self.issuer), clientID: "client", answering: IDTokenRequest(nonce: nil), clock: Self.clock)
    #expect(throws: JOSEError.self) { try JWTVerifier(keys: keys, algorithms: [.es256], policy: policy).verify(token) }
  }

  @Test(arguments: ["sub", "azp", "auth_time", "nonce"], [Verifier.refresh, .nativeSSORefresh])
  func `a renewed ID token repeats the login's claims, but may leave out auth_time and nonce`(
    _ name: String, _ verifier: Verifier
  ) async throws {
    let before: [(String, JSONValue?)] = [("azp", "client"), ("auth_time", 5)]
    let login = try Self.token(Rule(description: "", claims: before))
    #expect(try await Self.accepts(login, verifier, continuing: login))
    let other = Rule(description: "", claims: before + [(name, name == "auth_time" ? 6 : "other")])
    #expect(try await !Self.accepts(Self.token(other), verifier, continuing: login), "another")
    let absent = Rule(description: "", claims: before + [(name, nil)])
    let isOptional = name == "auth_time" || name == "nonce"
    #expect(try await Self.accepts(Self.token(absent), verifier, continuing: login) == isOptional, "absent")
  }
}
