import JOSE
import PureCrypto
import StrictJSON

/// Tells a provider's clients that a session has ended.
///
/// ```swift
/// let sender = try BackChannelLogoutSender(issuer: issuer, signingKey: { _ in key }, transport: send)
/// let deliveries = await sender.send(clients.map { client in
///   .init(to: client.id, at: client.logoutURI, about: BackChannelLogout(subject: user, sessionID: session))
/// })
/// ```
///
/// Each client gets a token of its own, and clients are told at the same time: one that answers slowly, or never, keeps
/// the others waiting only if there are more of its kind than
/// ``init(issuer:lifetime:timeLimit:maximumConcurrency:plainHTTP:clock:signingKey:transport:)`` lets be told at once.
/// Nothing is sent again: a client that wasn't told learns it when it refreshes.
///
/// Source: OpenID Connect Back-Channel Logout 1.0 §2.4, §2.5, §2.8.
public struct BackChannelLogoutSender: Sendable {
  /// What one client is to be told.
  public struct Message: Sendable {
    /// `client_id`, which is the token's `aud`.
    public var clientID: String
    /// `backchannel_logout_uri`, registered for the client: an `https` address without user
    /// information and fragment.
    public var address: String
    /// What has ended.
    public var logout: BackChannelLogout

    /// A message to a client, at the address that is registered for it.
    public init(to clientID: String, at address: String, about logout: BackChannelLogout) {
      (self.clientID, self.address, self.logout) = (clientID, address, logout)
    }
  }

  /// What became of a message. There may be more cases.
  public enum Outcome: String, Sendable {
    /// The client has ended its sessions: 200 or 204.
    case told
    /// The client has refused the token, or could not end its sessions: 400.
    case refused
    /// No answer in time, or a malformed one.
    case unreachable
    /// Nothing was sent: the address is not `https`, or there was no key to sign with.
    case notSent
  }

  /// A message, and what became of it.
  public struct Delivery: Sendable {
    /// `client_id` of the client that the message was for.
    public let clientID: String
    /// What became of the message.
    public let outcome: Outcome
  }

  private let issuer: String
  private let lifetime: Duration
  private let timeLimit: Duration
  private let maximumConcurrency: Int
  private let plainHTTP: PlainHTTP
  private let clock: TokenClock
  private let signingKey: @Sendable (_ clientID: String) async throws -> SigningKey
  private let transport: HTTPTransport

  /// A sender.
  ///
  /// - Parameters:
  ///   - issuer: the provider's identifier.
  ///   - lifetime: how long a token is good: 1 second to 2 minutes, the default.
  ///   - timeLimit: how long a client has to answer: up to a minute. The default is 5 seconds.
  ///   - maximumConcurrency: how many clients are told at once. 1 to 256.
  ///   - plainHTTP: whether clients may be on this machine, without TLS.
  ///   - clock: dates the tokens, and tells when the time is over.
  ///   - signingKey: the key for a client's tokens, of the algorithm of its ID tokens.
  ///   - transport: the provider's HTTP client, which must not follow redirects. It is cancelled when the time is over.
  ///     Clients choose where it goes: keep it away from addresses that only the provider can reach.
  /// - Throws: `ErrorCode.settingInvalid`.
  public init(
    issuer: String, lifetime: Duration = .seconds(120), timeLimit: Duration = .seconds(5), maximumConcurrency: Int = 16,
    plainHTTP: PlainHTTP = .refused, clock: TokenClock = .system,
    signingKey: @escaping @Sendable (_ clientID: String) async throws -> SigningKey,
    transport: @escaping HTTPTransport
  ) throws(OpenIDError) {
    let rules = [
      ("issuer", !issuer.isEmpty), ("lifetime", lifetime >= .seconds(1) && lifetime <= .seconds(120)),
      ("timeLimit", timeLimit > .zero && timeLimit <= .seconds(60)),
      ("maximumConcurrency", (1...256).contains(maximumConcurrency)),
    ]
    for (name, isValid) in rules where !isValid {
      throw OpenIDError(.settingInvalid, "a setting is out of range", name: name)
    }
    (self.issuer, self.lifetime, self.timeLimit) = (issuer, lifetime, timeLimit)
    (self.maximumConcurrency, self.plainHTTP, self.clock) = (maximumConcurrency, plainHTTP, clock)
    (self.signingKey, self.transport) = (signingKey, transport)
  }

  /// Tells clients, and waits until each has answered or its time is over.
  ///
  /// Don't let a user wait for this at the end of a session: call it in a task of its own.
  /// - Returns: what became of each message, in their order.
  public func send(_ messages: [Message]) async -> [Delivery] {
    var outcomes = [Outcome](repeating: .notSent, count: messages.count)
    await withTaskGroup(of: (Int, Outcome).self) { group in
      var waiting = messages.indices.makeIterator()
      for _ in 0..<maximumConcurrency {
        guard let index = waiting.next() else { break }
        group.addTask { (index, await deliver(messages[index])) }
      }
      while let (index, outcome) = await group.next() {
        outcomes[index] = outcome
        guard let next = waiting.next() else { continue }
        group.addTask { (next, await deliver(messages[next])) }
      }
    }
    return zip(messages, outcomes).map { Delivery(clientID: $0.clientID, outcome: $1) }
  }

  private func deliver(_ message: Message) async -> Outcome {
    guard plainHTTP.permits(message.address), let token = try? await token(for: message) else { return .notSent }
    guard let answer = await answer(to: .post(["logout_token": token], to: message.address)) else {
      return .unreachable
    }
    switch answer.status {
    case 200, 204: return .told
    case 400: return .refused
    default: return .unreachable
    }
  }

  private func token(for message: Message) async throws -> String {
    var claims = JWTClaims.logoutToken(
      issuer: issuer, clientID: message.clientID, subject: message.logout.subject,
      sessionID: message.logout.sessionID, lifetime: lifetime)
    claims.clock = clock.wall
    return try JWT.sign(claims, with: try await signingKey(message.clientID))
  }

  /// The answer; nil if it doesn't come in time, whether or not the transport notices that it is cancelled.
  private func answer(to request: HTTPRequestValue) async -> HTTPResponseValue? {
    let (answers, first) = AsyncStream.makeStream(of: HTTPResponseValue?.self, bufferingPolicy: .bufferingOldest(1))
    let sending = Task { first.yield(try? await transport(request)) }
    let limit = Task {
      try? await clock.sleep(timeLimit)
      first.yield(nil)
    }
    defer {
      sending.cancel()
      limit.cancel()
    }
    for await answer in answers { return answer }
    return nil
  }
}

extension BackChannelLogoutSender: Redacted {}
