import JOSE
import PureCrypto
import StrictJSON
import Testing

@testable import AppleSignInKit
@testable import NativeSSOKit
@testable import OpenIDKit
@testable import PlatformSSOKit

/// Every sender of an OAuth request says the same of a status and a body.
///
/// Source: RFC 6749 §5.1, §5.2; RFC 7009 §2.2; RFC 9110 §15, §10.2.3.
@Suite struct AnswerVerdictTests {
  /// What a sender makes of a response.
  enum Verdict: Character, CustomStringConvertible {
    case answer = "A"
    /// The server's word on the request: the login or the grant may end by it.
    case refusal = "R"
    case tryAgain = "T"
    /// A success without what was asked for.
    case unusable = "U"

    var description: String { String(rawValue) }
  }

  /// A body that answers the requests of all senders, and bodies that answer none.
  private static let bodies = [
    """
    {"access_token":"at","token_type":"Bearer","expires_in":3600,"refresh_token":"r2","sub":"alice","active":true,\
    "issued_token_type":"urn:ietf:params:oauth:token-type:access_token","request_uri":"urn:x","Nonce":"n"}
    """,
    #"{"error":"invalid_grant"}"#, #"{"error":"temporarily_unavailable"}"#, #"{"error":"server_error"}"#,
    #"{"error":"slow_down"}"#, "<html>busy</html>", "",
  ]

  /// The verdict for each body, in their order.
  private static let table: [(status: Int, verdicts: String)] = [
    (200, "AUUUUUU"), (201, "AUUUUUU"), (204, "AUUUUUU"), (302, "TTTTTTT"), (400, "TRTTTTT"), (401, "TRTTTTT"),
    (403, "TRTTTTT"), (404, "TRTTTTT"), (408, "TTTTTTT"), (425, "TTTTTTT"), (429, "TTTTTTT"), (500, "TTTTTTT"),
    (503, "TTTTTTT"),
  ]

  enum Sender: CaseIterable {
    case code, refresh, exchange, nativeLogin, nativeRefresh, revocation, nativeRevocation, introspection, pushedRequest
    case userInfo, apple, appleRevocation, platformNonce
  }

  @Test(arguments: Sender.allCases) func `every sender judges a response alike`(_ sender: Sender) async throws {
    for (status, verdicts) in Self.table {
      for (body, letter) in zip(Self.bodies, verdicts) {
        var expected = try #require(Verdict(rawValue: letter))
        switch sender {
        // The body says nothing: the status is all there is.
        case .revocation, .nativeRevocation, .appleRevocation: if expected == .unusable { expected = .answer }
        // A Mac takes status 200 alone.
        case .platformNonce: if status == 201 || status == 204 { expected = .tryAgain }
        default: break
        }
        if sender == .nativeRevocation, expected == .refusal { expected = .tryAgain }
        let response = HTTPResponseValue(
          status: status, headers: try HTTPHeaderFields(Self.headers), body: Array(body.utf8))
        let verdict = try await Self.verdict(of: sender, on: response)
        #expect(verdict == expected, "\(status) \(body.prefix(24))")
      }
    }
  }

  /// A challenge of another scheme says that a 401 is not about an access token.
  private static let headers = [("Retry-After", "7"), ("WWW-Authenticate", "Basic realm=\"x\"")]

  // MARK: The senders

  private static let issuer = "https://op.example.com"

  private static func metadata() throws -> OpenIDProviderMetadata {
    var metadata = try OpenIDProviderMetadata(
      issuer: issuer, authorizationEndpoint: issuer + "/authorize", tokenEndpoint: issuer + "/token",
      keySetURL: issuer + "/jwks")
    metadata.revocationEndpoint = issuer + "/revoke"
    return metadata
  }

  private static func verdict(of sender: Sender, on response: HTTPResponseValue) async throws -> Verdict {
    let client = OAuthClient(clientID: "app") { _ in response }
    switch sender {
    case .code:
      return judged(await refresher(response).redeem(code: "c", redirectURI: "a:/", verifier: "v").outcome, response)
    case .refresh: return judged(await refresher(response).refresh(attempt), response)
    case .exchange: return try await exchange(response)
    case .nativeLogin: return try await nativeLogin(response)
    case .nativeRefresh: return judged(try await native(response).client.renew(attempt, of: nil).outcome, response)
    case .nativeRevocation:
      return try await native(response).client.tokenRequests.revoke(RevocationRequest(token: "t"))
        ? .answer : .tryAgain
    case .revocation:
      return await judged { () async throws(OpenIDError) in
        try await client.revoke(RevocationRequest(token: "t"), at: issuer)
      }
    case .introspection:
      return await judged { () async throws(OpenIDError) in
        _ = try await client.introspect(IntrospectionRequest(token: "t"), at: issuer)
      }
    case .pushedRequest:
      return await judged { () async throws(OpenIDError) in _ = try await client.push([:], to: issuer) }
    case .userInfo: return try await userInfo(response)
    case .apple:
      return judged { () throws(JOSEError) in
        _ = try AppleTokenEndpoint.tokens(in: response, to: .refreshToken("r"))
      }
    case .appleRevocation: return judged { () throws(JOSEError) in try OAuthAnswer.requireAnswer(response) }
    case .platformNonce: return try platformNonce(response)
    }
  }

  private static let attempt = RefreshAttempt(
    refreshToken: "rt", scope: nil, dpopNonce: nil, attemptNumber: 0, loginID: "l", generation: 1)

  private static func refresher(_ response: HTTPResponseValue) -> OAuthTokenRefresher {
    OAuthTokenRefresher(tokenEndpoint: issuer, clientID: "app") { _ in response }
  }

  private static func judged(_ outcome: RefreshOutcome, _ response: HTTPResponseValue) -> Verdict {
    guard case .failed(let failure) = outcome else { return .answer }
    switch failure.kind {
    case .noAnswer, .serverBusy, .unusableAnswer:
      guard response.status < 200 || response.status > 299 else { return .unusable }
      #expect(failure.retryAfter == .seconds(7))
      return .tryAgain
    default: return .refusal
    }
  }

  private static func judged(_ work: () async throws(OpenIDError) -> Void) async -> Verdict {
    do throws(OpenIDError) {
      try await work()
      return .answer
    } catch {
      switch error.code {
      case .temporarilyUnavailable:
        #expect(error.retryAfter == .seconds(7))
        return .tryAgain
      case .answerMalformed: return .unusable
      default: return .refusal
      }
    }
  }

  private static func judged(_ work: () throws(JOSEError) -> Void) -> Verdict {
    do throws(JOSEError) {
      try work()
      return .answer
    } catch {
      return judged(error)
    }
  }

  private static func judged(_ error: JOSEError) -> Verdict {
    switch error.code {
    case .serverUnavailable: .tryAgain
    case .serverRefused: .refusal
    default: .unusable
    }
  }

  private static func userInfo(_ response: HTTPResponseValue) async throws -> Verdict {
    let manager = try TokenManager(store: MemorySecretStore(), refresher: refresher(HTTPResponseValue(status: 500)))
    let tokens = TokenAnswer(accessToken: "at", expiresIn: .seconds(3600), refreshToken: nil)
    try await manager.logIn(tokens)
    let login = OpenIDClient.Login(
      subject: "alice", claims: [:], idToken: "", tokens: tokens, manager: manager,
      authorizer: RequestAuthorizer(manager: manager) { _ in response }, proofKey: nil, userInfoEndpoint: issuer + "/me"
    )
    do {
      _ = try await login.userInfo()
      return .answer
    } catch let error as OpenIDError {
      return await judged { () throws(OpenIDError) in throw error }
    }
  }

  // MARK: Native SSO

  private struct Tokens: AppTokens {
    func save(_ tokens: TokenAnswer, subject: String) async throws {}
    func clear() async throws {}
    func suppressesAutomaticSignIn() async throws -> Bool { false }
    func setSuppressesAutomaticSignIn(_ suppresses: Bool) async throws {}
  }

  private static func native(
    _ response: HTTPResponseValue
  ) async throws -> (client: NativeSSOClient, store: MemorySecretStore) {
    let document: JSONObject = [
      "v": 1, "gen": 1, "issuer": .string(issuer), "sub": "alice", "client_id": "app", "device_secret": "ds",
      "id_token": "a.b.c", "stored_at": 1_760_000_000, "id_token_exp": 4_000_000_000, "writer": "app",
    ]
    let store = MemorySecretStore(document.serialized())
    let profile = ProviderProfile(assumesSupport: true)
    var configuration = NativeSSOClientConfiguration(
      clientID: "app", redirectURI: "a:/cb", metadata: try metadata(), profile: profile, keys: { _ in JWKSet([]) },
      transport: { _ in response })
    configuration.sleep = { _ in }
    return (NativeSSOClient(configuration, pairs: store, appTokens: Tokens()), store)
  }

  private static func exchange(_ response: HTTPResponseValue) async throws -> Verdict {
    let (client, store) = try await native(response)
    let outcome = await client.signInSilently()
    let hasPair = try await SharedPair(store).read().pair != nil
    guard case .loginRequired(let reason) = outcome else { return .answer }
    switch reason {
    case .refused(.slowDown), .refused(.temporarilyUnavailable), .refused(.serverError), .unreachable:
      #expect(hasPair)
      return .tryAgain
    case .refused:
      #expect(!hasPair)
      return .refusal
    default:
      #expect(hasPair)
      return .unusable
    }
  }

  private static func nativeLogin(_ response: HTTPResponseValue) async throws -> Verdict {
    let client = try await native(response).client
    let (login, _) = try await client.beginLogin()
    do throws(JOSEError) {
      _ = try await client.completeLogin(login, redirect: "a:/cb?code=c&state=\(login.request.state)")
      return .answer
    } catch {
      // The tokens were read: what is absent is the ID token, which this body doesn't have.
      return error == JOSEError(.answerMalformed, "", name: "id_token") ? .answer : judged(error)
    }
  }

  // MARK: Platform SSO

  private static func platformNonce(_ response: HTTPResponseValue) throws -> Verdict {
    let device = try PlatformSSODevice(
      configuration: LoginConfiguration(
        clientID: "app", issuer: issuer, audience: "a", tokenEndpointURL: issuer, jwksEndpointURL: issuer),
      keys: .generate())
    return judged { () throws(JOSEError) in
      _ = try device.requestNonces(from: response, to: device.serverNonceRequest())
    }
  }
}
