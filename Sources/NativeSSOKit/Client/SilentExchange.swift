import JOSE
import OpenIDKit
import StrictJSON

/// One silent sign-in: the exchange, its retries, and what may be written back.
struct SilentExchange: Sendable {
  /// An answer whose ID token could not be judged, because the provider's keys could not be had.
  struct Unjudged: Sendable {
    let response: HTTPResponseValue
    let receivedAt: NumericDate
    /// The generation of the pair that it is to.
    let generation: UInt64
  }

  let configuration: NativeSSOClientConfiguration
  let tokenRequests: OAuthTokenRefresher
  let shared: SharedPair
  /// Keeps the app's tokens.
  let keep: @Sendable (SignIn) async throws(JOSEError) -> Void

  /// The answer, if it could not be judged.
  private(set) var unjudged: Unjudged?
  /// How the provider's refusal was judged, if it refused.
  private(set) var decision: RecoveryDecision?

  private var issuer: String { configuration.metadata.issuer }

  init(
    configuration: NativeSSOClientConfiguration, tokenRequests: OAuthTokenRefresher, shared: SharedPair,
    keep: @escaping @Sendable (SignIn) async throws(JOSEError) -> Void
  ) {
    (self.configuration, self.tokenRequests) = (configuration, tokenRequests)
    (self.shared, self.keep) = (shared, keep)
  }

  /// Exchanges the pair for tokens, following the recovery table until it ends in tokens or in a login.
  ///
  /// - Parameter held: an answer to the same pair that could not be judged before.
  mutating func run(
    _ stored: SharedPair.Stored, _ pair: SSOPair, judging held: Unjudged?
  ) async -> SilentSignIn {
    var (stored, pair) = (stored, pair)
    if let held {
      let outcome = await accept(held.response, at: held.receivedAt, stored, pair)
      // What is not good any more, or never was, is asked for anew.
      guard case .loginRequired(.responseRejected) = outcome, unjudged == nil else { return outcome }
    }
    var attempts = RecoveryDecision.Attempts()
    attempts.scopesAreOptional = configuration.scopesAreOptional
    // Each turn but the last uses up one of the attempts, so there are five at most.
    while true {
      let failure: RecoveryDecision.Failure
      switch await send(pair, openIDOnly: attempts.triedOpenIDOnly) {
      case .success(let response): return await accept(response, at: configuration.clock.now, stored, pair)
      case .failure(let reason): failure = reason
      }
      let decision = RecoveryDecision(after: failure, attempts: attempts)
      self.decision = decision
      switch decision.action {
      case .retryIfPairChanged:
        guard let current = try? await shared.load(), !current.isDamaged else { return .loginRequired(.storeFailed) }
        if current.entry.generation != stored.entry.generation, let newer = current.entry.pair,
          newer.issuer == issuer
        {
          attempts.triedNewerPair = true
          (stored, pair) = (current, newer)
          continue
        }
      case .retryWithOpenIDOnly:
        attempts.triedOpenIDOnly = true
        continue
      case .retryAfter(let time):
        attempts.transientRetries += 1
        await configuration.sleep(time)
        continue
      default: break
      }
      // Only the pair that failed is deleted, never one that another app has stored meanwhile.
      if !decision.keepsPair { _ = try? await shared.replace(stored, with: nil) }
      guard case .refused(let error) = failure else { return .loginRequired(.unreachable) }
      return .loginRequired(.refused(error.code))
    }
  }

  private func send(
    _ pair: SSOPair, openIDOnly: Bool
  ) async -> Result<HTTPResponseValue, RecoveryDecision.Failure> {
    let profile = configuration.profile
    let audience: String? =
      switch profile.audience {
      case .issuer: issuer
      case .omitted: nil
      case .value(let value): value
      }
    let scopes = openIDOnly ? [Scope.openID.text] : configuration.scopes
    let exchange = TokenExchangeRequest(
      clientID: configuration.clientID, idToken: pair.idToken, deviceSecret: pair.deviceSecret, audience: audience,
      scope: Scope.text(scopes), actorTokenType: profile.actorTokenType,
      requestedTokenType: profile.requestedTokenType)
    guard let response = try? await tokenRequests.answer(to: exchange.form) else { return .failure(.transient) }
    if case .answer = OAuthAnswer.verdict(on: response) { return .success(response) }
    let withheld = [pair.deviceSecret.reveal(), pair.idToken] + configuration.clientSecret
    guard let error = OAuthErrorResponse(response, withholding: withheld, at: configuration.clock.now)
    else { return .failure(.transient) }
    return .failure(.refused(error))
  }

  private mutating func accept(
    _ response: HTTPResponseValue, at date: NumericDate, _ stored: SharedPair.Stored, _ pair: SSOPair
  ) async -> SilentSignIn {
    do throws(JOSEError) {
      let check = ResponseCheck(configuration: configuration, receivedAt: date)
      var (signIn, newPair) = try await check.exchange(response, pair: pair)
      do throws(JOSEError) {
        try await keep(signIn)
      } catch {
        return .loginRequired(error.code == .loggedOut ? .signedOutByUser : .storeFailed)
      }
      guard let newPair else { return .signedIn(signIn) }
      let isStored = try? await shared.replace(stored, with: newPair)
      let failed = JOSEError(.storeUnavailable, "the shared store failed")
      // Another app was faster: what it stored is at least as new.
      signIn.sharing = isStored.map { $0 ? .stored : .unchanged } ?? .discarded(failed)
      return .signedIn(signIn)
    } catch {
      if error.code == .serviceFailed {
        unjudged = Unjudged(response: response, receivedAt: date, generation: stored.entry.generation)
      }
      return .loginRequired(.responseRejected(error))
    }
  }
}
