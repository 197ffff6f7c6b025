import JOSE
import PureCrypto
import StrictJSON

/// Sends a client's forms to an authorization server: by `https` alone, with what proves the client, and with what
/// proves its key where its tokens are bound to one.
///
/// Every client of the package sends its forms by it, whichever grant they are for.
///
/// Source: RFC 6749 §2.3, §5; RFC 9449 §5, §8.
package struct TokenClient: Sendable {
  let credentials: ClientCredentials
  let plainHTTP: PlainHTTP
  let clock: WallClock
  private let proofs: DPoPProofs?
  private let transport: HTTPTransport

  /// A client. Its parameters are those of ``OAuthTokenRefresher``.
  package init(
    clientID: String, authentication: ClientAuthentication, proofKey: SigningKey? = nil, plainHTTP: PlainHTTP,
    clock: WallClock, transport: @escaping HTTPTransport
  ) {
    credentials = ClientCredentials(clientID: clientID, authentication: authentication)
    proofs = proofKey.map { DPoPProofs(key: $0, clock: clock) }
    (self.plainHTTP, self.clock, self.transport) = (plainHTTP, clock, transport)
  }

  /// Asks for tokens.
  ///
  /// - Parameters:
  ///   - form: what is exchanged for them.
  ///   - endpoint: the token endpoint.
  ///   - asksAgain: whether a server that wants a nonce in the proof is asked once more, with it.
  ///   - nonce: the nonce that the server has just asked for, if it has.
  /// - Returns: what the answer means, and its object if it is a success, which may have members of another protocol.
  package func tokens(
    for form: FormFields, at endpoint: String, asksAgain: Bool = true, nonce: String? = nil
  ) async -> (outcome: RefreshOutcome, object: JSONObject?) {
    guard plainHTTP.permits(endpoint) else { return (.failed(RefreshFailure(.misconfigured("token_endpoint"))), nil) }
    do {
      let response = try await answer(to: form, at: endpoint, asksAgain: asksAgain, nonce: nonce)
      return outcome(of: response)
    } catch is RequestNotSent {
      return (.failed(RefreshFailure(.notSent)), nil)
    } catch {
      return (.failed(RefreshFailure(.noAnswer)), nil)
    }
  }

  /// What an answer means, and its object if it is a success.
  func outcome(of response: HTTPResponseValue) -> (outcome: RefreshOutcome, object: JSONObject?) {
    let (outcome, object) = RefreshOutcome.read(response, at: clock.now)
    return (outcome.requiring(isBound: proofs != nil), object)
  }

  /// What the token endpoint answers, unread.
  ///
  /// - Throws: `RequestNotSent` if nothing was sent, or what the transport throws.
  package func answer(
    to form: FormFields, at endpoint: String, asksAgain: Bool = true, nonce: String? = nil
  ) async throws -> HTTPResponseValue {
    let response = try await send(form, to: endpoint, proofs, nonce: nonce)
    guard asksAgain, let proofs, case .refused("use_dpop_nonce") = OAuthAnswer.verdict(on: response),
      let nonce = response.dpopNonce
    else { return response }
    return try await send(form, to: endpoint, proofs, nonce: nonce)
  }

  /// Sends a form to another endpoint and returns the body of the answer.
  ///
  /// - Throws: `ErrorCode.settingInvalid` for an address without TLS, `ErrorCode.configuration` with the server's error
  ///   code as its name, `ErrorCode.temporarilyUnavailable`.
  package func body(of form: FormFields, from endpoint: String) async throws(OpenIDError) -> [UInt8] {
    try await response(to: form, from: endpoint, accepting: MediaType.json).answerBody(at: clock.now)
  }

  /// The same with all of the answer, unread.
  func response(
    to form: FormFields, from endpoint: String, accepting accepted: String
  ) async throws(OpenIDError) -> HTTPResponseValue {
    guard plainHTTP.permits(endpoint) else {
      throw OpenIDError(.settingInvalid, "an endpoint is an absolute https address", name: "endpoint")
    }
    guard let response = try? await send(form, to: endpoint, accepting: accepted) else {
      throw .unavailable(after: nil)
    }
    return response
  }

  private func send(
    _ form: FormFields, to endpoint: String, _ proofs: DPoPProofs? = nil, nonce: String? = nil,
    accepting accepted: String = MediaType.json
  ) async throws -> HTTPResponseValue {
    guard plainHTTP.permits(endpoint),
      var request = try? await credentials.request(form, to: endpoint, accepting: accepted)
    else { throw RequestNotSent() }
    guard let proofs else { return try await transport(request) }
    guard (try? proofs.add(to: &request, nonce: nonce)) != nil else { throw RequestNotSent() }
    let response = try await transport(request)
    proofs.keepNonce(of: response)
    return response
  }
}

extension TokenClient: Redacted {}
