import PureCrypto
import JOSE
import StrictJSON
import Synchronization

/// Sends the refresh request of OAuth 2.0: a form to the token endpoint.
///
/// Source: RFC 6749 §6.
public struct OAuthTokenRefresher: TokenRefresher {
  private let tokenEndpoint: String
  private let revocationEndpoint: String?
  private let credentials: ClientCredentials
  private let proofs: DPoPProofs?
  private let plainHTTP: PlainHTTP
  private let clock: WallClock
  private let transport: HTTPTransport

  /// A refresher.
  ///
  /// - Parameters:
  ///   - tokenEndpoint: the absolute address, by `https`: it gets the refresh token. With another, each refresh fails
  ///     as ``RefreshFailure/Kind/misconfigured(_:)`` with the name `token_endpoint`, and nothing is sent.
  ///   - clientID: as the server knows the client.
  ///   - authentication: how the client proves that. An installed app can keep no secret:
  ///     ``ClientAuthentication/none``.
  ///   - revocationEndpoint: where tokens are revoked at logout (RFC 7009), if anywhere, by `https`.
  ///   - proofKey: the key that the tokens are bound to (DPoP, RFC 9449), if they are. Each request then has a proof by
  ///     it, with the server's latest nonce.
  ///   - plainHTTP: whether the endpoints may be on this machine, without TLS.
  ///   - clock: dates the proofs, and tells how long it is until a `Retry-After` that is a date.
  ///   - transport: the caller's HTTP client; see `HTTPTransport` on what it must not do and on what to throw.
  public init(
    tokenEndpoint: String, clientID: String, authentication: ClientAuthentication = .none,
    revocationEndpoint: String? = nil, proofKey: SigningKey? = nil, plainHTTP: PlainHTTP = .refused,
    clock: WallClock = .system, transport: @escaping HTTPTransport
  ) {
    self.tokenEndpoint = tokenEndpoint
    credentials = ClientCredentials(clientID: clientID, authentication: authentication)
    self.revocationEndpoint = revocationEndpoint
    proofs = proofKey.map { DPoPProofs(key: $0, clock: clock) }
    self.plainHTTP = plainHTTP
    self.clock = clock
    self.transport = transport
  }

  /// Sends one refresh request and reads the answer. Where there is a key, tokens that are not bound to it are not
  /// usable.
  public func refresh(_ attempt: RefreshAttempt) async -> RefreshOutcome { await refresh(attempt, with: [:]).outcome }

  /// The same with further fields, and with the object of a successful answer, which may have members of another
  /// protocol.
  package func refresh(
    _ attempt: RefreshAttempt, with additional: FormFields
  ) async -> (outcome: RefreshOutcome, object: JSONObject?) {
    var fields = [("grant_type", GrantType.refreshToken), ("refresh_token", attempt.refreshToken)]
    if let scope = attempt.scope { fields.append(("scope", scope)) }
    let form = Self.form(fields, additional)
    let (outcome, object) = await read { try await response(to: form, nonce: attempt.dpopNonce) }
    return (isBound ? outcome.requiringBinding : outcome, object)
  }

  /// Whether the tokens are bound to a key.
  var isBound: Bool { proofs != nil }

  /// Redeems an authorization code.
  ///
  /// Source: RFC 6749 §4.1.3, RFC 7636 §4.5.
  func redeem(
    code: String, redirectURI: String, verifier: String, with additional: FormFields = [:]
  ) async -> (outcome: RefreshOutcome, object: JSONObject?) {
    let form = Self.form(
      [
        ("grant_type", GrantType.authorizationCode), ("code", code), ("redirect_uri", redirectURI),
        ("code_verifier", verifier),
      ], additional)
    return await read { try await answer(to: form) }
  }

  private static func form(_ fields: [(String, String)], _ additional: FormFields) -> FormFields {
    FormFields(fields + additional.fields.map { ($0.name, $0.value) })
  }

  private func read(
    _ send: () async throws -> HTTPResponseValue
  ) async -> (outcome: RefreshOutcome, object: JSONObject?) {
    guard plainHTTP.permits(tokenEndpoint) else {
      return (.failed(RefreshFailure(.misconfigured("token_endpoint"))), nil)
    }
    do {
      return OAuthTokenResponse.read(try await send(), at: clock.now)
    } catch is RequestNotSent {
      return (.failed(RefreshFailure(.notSent)), nil)
    } catch {
      return (.failed(RefreshFailure(.noAnswer)), nil)
    }
  }

  /// Sends a form to the token endpoint. A server that wants a nonce in the proof is asked once more.
  ///
  /// - Throws: `RequestNotSent` if nothing was sent, or what the transport throws.
  ///
  /// Source: RFC 9449 §8.
  package func answer(to form: FormFields) async throws -> HTTPResponseValue {
    let response = try await response(to: form, nonce: nil)
    guard isBound, case .refused(let code) = OAuthAnswer.verdict(on: response), code == "use_dpop_nonce",
      let nonce = response.headers.values("DPoP-Nonce").first
    else { return response }
    return try await self.response(to: form, nonce: nonce)
  }

  /// - Parameter wanted: the nonce that the server has just asked for, if it has.
  private func response(to form: FormFields, nonce wanted: String?) async throws -> HTTPResponseValue {
    guard plainHTTP.permits(tokenEndpoint), var request = try? await credentials.request(form, to: tokenEndpoint),
      (try? proofs?.add(to: &request, nonce: wanted)) != nil || proofs == nil
    else { throw RequestNotSent() }
    let response = try await transport(request)
    proofs?.keepNonce(of: response)
    return response
  }

  /// Sends a revocation request, if there is an address for it.
  public func revoke(refreshToken: String) async {
    guard let revocationEndpoint, plainHTTP.permits(revocationEndpoint),
      let request = try? await credentials.request(
        FormFields(RevocationRequest(token: refreshToken, hint: .refreshToken).fields), to: revocationEndpoint)
    else { return }
    _ = try? await transport(request)
  }
}

/// Proofs of possession for one server, and the nonce that it wants in them.
///
/// Source: RFC 9449 §5, §8.
final class DPoPProofs: Sendable {
  private let key: SigningKey
  private let clock: WallClock
  private let nonce = Mutex<String?>(nil)

  init(key: SigningKey, clock: WallClock) {
    self.key = key
    self.clock = clock
  }

  /// - Parameter wanted: the nonce that the server has just asked for, if it has.
  func add(to request: inout HTTPRequestValue, nonce wanted: String?) throws {
    let nonce = nonce.withLock { $0 } ?? wanted
    try request.headers.set(
      "DPoP", try DPoP.proof(method: request.method, url: request.url, key: key, nonce: nonce, clock: clock))
  }

  /// A nonce may come with any answer, and is good for the next request.
  func keepNonce(of response: HTTPResponseValue) {
    guard let new = response.headers.values("DPoP-Nonce").first, !new.isEmpty else { return }
    nonce.withLock { $0 = new }
  }
}

extension OAuthTokenRefresher: Redacted {}
