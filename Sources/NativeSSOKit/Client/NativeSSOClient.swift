import PureCrypto
import JOSE
import OpenIDKit
import StrictJSON

/// One app's side of Native SSO: signs in silently with the vendor's shared pair, or interactively and then shares it.
///
/// ``NativeSSOSession/client`` is one.
///
/// However many callers sign in silently at once, one request is under way, and all get its outcome; across
/// apps the shared store's version keeps them apart.
/// Source: OpenID Connect Native SSO for Mobile Apps 1.0.
public actor NativeSSOClient {
  /// The configuration. ``reload(_:)`` replaces it.
  package private(set) var configuration: NativeSSOClientConfiguration
  let shared: SharedPair
  let appTokens: any AppTokens

  private var refusal: OAuthErrorCode?
  private var pausedUntil: NumericDate?
  private var silent: Task<SilentSignIn, Never>?
  /// An answer to an exchange that could not be judged. It may hold the only good refresh token or device secret, so it
  /// is judged again, and not asked for again.
  private var unjudged: SilentExchange.Unjudged?
  /// The logins that were finished, with the answers to their codes that could not be judged.
  let finished = FinishedLogins()
  /// Sends requests for tokens, with the nonce that the provider wants in their proofs.
  private(set) var tokenRequests: OAuthTokenRefresher
  /// How often the user has signed out: tokens that were asked for before that are not kept.
  private(set) var signOutCount = 0
  /// How often that was from all apps: pairs that were asked for before that are not shared.
  private(set) var pairRemovalCount = 0
  private var isChangingTokens = false
  private var changes: [CheckedContinuation<Void, Never>] = []

  /// A client.
  ///
  /// - Parameters:
  ///   - configuration: whose issuer stays for this client's life, whatever ``reload(_:)`` brings.
  ///   - pairs: shared by the vendor's apps.
  ///   - appTokens: this app's alone.
  package init(_ configuration: NativeSSOClientConfiguration, pairs: any SecretStore, appTokens: any AppTokens) {
    self.configuration = configuration
    tokenRequests = configuration.tokenRequests
    shared = SharedPair(pairs)
    self.appTokens = appTokens
  }

  /// Takes a new configuration and forgets refusals under the old one.
  ///
  /// - Throws: `ErrorCode.callerMisuse` if the issuer is another: stored pairs belong to theirs.
  public func reload(_ configuration: NativeSSOClientConfiguration) throws(JOSEError) {
    guard WireName(configuration.metadata.issuer) == self.configuration.metadata.issuer else {
      throw JOSEError(.callerMisuse, "a client's issuer can't change: make a new client", name: "issuer")
    }
    self.configuration = configuration
    tokenRequests = configuration.tokenRequests
    refusal = nil
    pausedUntil = nil
  }

  /// See ``NativeSSOSession/signIn(announcing:present:)``.
  package func signIn(
    announcing: (@Sendable () async -> Void)? = nil, present: @Sendable (_ url: String) async throws -> String
  ) async throws -> SignIn {
    if case .signedIn(let signIn) = await signInSilently(announcing: announcing) { return signIn }
    let (login, url) = try await beginLogin()
    return try await completeLogin(login, redirect: try await present(url))
  }

  /// Signs in with the vendor's pair, without showing anything. Never throws: every failure is a reason to log in.
  ///
  /// A caller that comes while an attempt is under way gets its outcome; the first caller's `announcing` is called.
  package func signInSilently(announcing: (@Sendable () async -> Void)? = nil) async -> SilentSignIn {
    if let silent { return await silent.value }
    let task = Task { await attemptSilentSignIn(announcing: announcing) }
    silent = task
    defer { silent = nil }
    return await task.value
  }

  /// From now on, tokens that were asked for before are not kept.
  func noteSignOut(_ scope: SignOutScope) {
    signOutCount += 1
    if scope == .everywhere { pairRemovalCount += 1 }
  }

  /// Changes the app's store, one change after the other: a sign-out and tokens that come meanwhile never overtake each
  /// other.
  func changingTokens(_ change: () async throws -> Void) async rethrows {
    while isChangingTokens { await withCheckedContinuation { changes.append($0) } }
    isChangingTokens = true
    defer {
      isChangingTokens = false
      if !changes.isEmpty { changes.removeFirst().resume() }
    }
    try await change()
  }

  /// Revokes what unjudged answers brought: no caller is going to ask for it.
  func giveBackUnjudged() async {
    var tokens = finished.takeAllHeld().compactMap(\.tokens.refreshToken)
    if let unjudged, let token = try? TokenResponse(parsing: unjudged.response.body).tokens.refreshToken {
      tokens.append(token)
    }
    unjudged = nil
    for token in tokens { await tokenRequests.revoke(refreshToken: token) }
  }

  /// Keeps tokens in the app's store, unless the user has signed out since they were asked for: then they are given
  /// back to the provider.
  ///
  /// - Parameter count: ``signOutCount`` when they were asked for.
  func keep(_ signIn: SignIn, askedForAfter count: Int) async throws(JOSEError) {
    var isKept = false
    do {
      try await changingTokens {
        guard signOutCount == count else { return }
        try await appTokens.save(signIn.tokens, subject: signIn.subject)
        isKept = true
      }
    } catch {
      throw JOSEError(.storeUnavailable, "the app's store failed")
    }
    guard !isKept else { return }
    if let refreshToken = signIn.tokens.refreshToken { await tokenRequests.revoke(refreshToken: refreshToken) }
    throw JOSEError(.loggedOut, "the user has signed out meanwhile")
  }

  /// Forgets that the user signed out of this app, so that it may sign in by itself again.
  ///
  /// - Throws: `ErrorCode.storeUnavailable`; it is then still remembered.
  public func allowAutomaticSignIn() async throws(JOSEError) {
    do {
      try await appTokens.setSuppressesAutomaticSignIn(false)
    } catch {
      throw JOSEError(.storeUnavailable, "the app's store failed")
    }
  }

  private func attemptSilentSignIn(announcing: (@Sendable () async -> Void)?) async -> SilentSignIn {
    guard configuration.supportsExchange else { return .loginRequired(.notSupported) }
    if let refusal { return .loginRequired(.refusedEarlier(refusal)) }
    if let pausedUntil {
      let left = pausedUntil.secondsSince1970 - configuration.clock.now.secondsSince1970
      // No pause is longer: the clock was set back then.
      guard left <= 0 || left > RecoveryDecision.maximumPause.inSeconds else {
        return .loginRequired(.paused(.seconds(left.rounded(.up))))
      }
      self.pausedUntil = nil
    }
    guard let isSuppressed = try? await appTokens.suppressesAutomaticSignIn(),
      let stored = try? await shared.load(), !stored.isDamaged
    else { return .loginRequired(.storeFailed) }
    guard !isSuppressed else { return .loginRequired(.signedOutByUser) }
    guard let pair = stored.entry.pair, pair.issuer == configuration.metadata.issuer else {
      return .loginRequired(.noPair)
    }
    await announcing?()
    let count = signOutCount
    var exchange = SilentExchange(
      configuration: configuration, tokenRequests: tokenRequests, shared: shared
    ) { (signIn) throws(JOSEError) in
      try await self.keep(signIn, askedForAfter: count)
    }
    let before = unjudged
    unjudged = nil
    let isHeld = before?.generation == stored.entry.generation
    let outcome = await exchange.run(stored, pair, judging: isHeld ? before : nil)
    unjudged = exchange.unjudged
    if case .loginRequired(.refused(let code)) = outcome, let decision = exchange.decision {
      if decision.disablesSSO { refusal = code }
      if case .logInAndPause(let pause) = decision.action {
        pausedUntil = configuration.clock.now.advanced(by: pause)
      }
    }
    return outcome
  }
}

extension NativeSSOClient {
  /// How far a sign-out goes.
  public enum SignOutScope: Sendable, Hashable {
    /// This app only. The vendor's pair stays, and this app does not sign in by itself until the user asks.
    case thisApp
    /// All apps of the vendor on this device: the device secret is revoked too and the pair deleted. A provider of this
    /// package ends the logins that came with the device's last 64 secrets.
    case everywhere
  }

  /// Signs out. Tokens that are under way, of a refresh or a sign-in that began before, are not kept and given back.
  package func signOut(_ scope: SignOutScope) async throws(JOSEError) -> Bool {
    noteSignOut(scope)
    await giveBackUnjudged()
    // What can be deleted is, whatever fails before it.
    let deviceSecretRevoked = scope == .everywhere ? try? await deletePair() : false
    var (isCleared, isRemembered) = (false, false)
    await changingTokens {
      isCleared = (try? await appTokens.clear()) != nil
      isRemembered = (try? await appTokens.setSuppressesAutomaticSignIn(true)) != nil
    }
    guard let deviceSecretRevoked, isCleared, isRemembered else {
      throw JOSEError(.storeUnavailable, "not everything could be deleted")
    }
    return deviceSecretRevoked
  }

  func deletePair() async throws -> Bool {
    var first: SSOPair?
    // Another app can be faster each time, but not for ever.
    for _ in 0..<8 {
      let stored = try await shared.load()
      let entry = stored.entry
      first = first ?? entry.pair
      let pair = entry.pair ?? first
      // A pair of another login has been stored since, by a user who does not sign out here.
      let isOthers = first.flatMap { first in entry.pair.map { !$0.isOfSameLogin(as: first) } } ?? false
      if !isOthers, entry.pair != nil || stored.isDamaged {
        guard try await shared.replace(stored, with: nil) else { continue }
      }
      // Only what the shared store doesn't hold any more is revoked: a pair that has been stored again may have the
      // same secret.
      guard let gone = isOthers ? first : pair else { return false }
      return await tokenRequests.revoke(
        RevocationRequest(token: gone.deviceSecret.reveal(), hint: TokenTypeHint("device_secret")))
    }
    throw JOSEError(.storeUnavailable, "other apps keep changing the shared store: try again later")
  }
}

extension NativeSSOClient: Redacted {
  /// The type's name. No token.
  public nonisolated var description: String { "NativeSSOClient" }
}
