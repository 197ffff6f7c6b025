import JOSEHTTP
import JOSE
import StrictJSON

/// One app's side of Native SSO: signs in silently with the vendor's shared pair, or interactively and then shares it.
///
/// ```swift
/// let client = NativeSSOClient(configuration, store: sharedStore, appTokens: ownStore)
/// let signIn = try await client.signIn { url in try await browser.open(url) }
/// ```
///
/// Exchanges of one client run one after the other; across apps the shared store's generation keeps them apart.
/// Source: OpenID Connect Native SSO for Mobile Apps 1.0.
public actor NativeSSOClient {
  /// The configuration. ``reload(_:)`` replaces it.
  public private(set) var configuration: NativeSSOClientConfiguration
  let store: any SSOPairStore
  let appTokens: any AppTokenStore

  private var refusal: OAuthErrorCode?
  private var pausedUntil: NumericDate?
  private var last: Task<SilentSignIn, Never>?

  /// A client.
  ///
  /// - Parameters:
  ///   - configuration: whose issuer stays for this client's life, whatever ``reload(_:)`` brings.
  ///   - store: shared by the vendor's apps.
  ///   - appTokens: this app's alone.
  public init(_ configuration: NativeSSOClientConfiguration, store: any SSOPairStore, appTokens: any AppTokenStore) {
    self.configuration = configuration
    self.store = store
    self.appTokens = appTokens
  }

  /// Takes a new configuration and forgets refusals under the old one.
  ///
  /// - Throws: ``NativeSSOErrorCode/callerMisuse`` if the issuer is another: stored pairs belong to theirs.
  public func reload(_ configuration: NativeSSOClientConfiguration) throws(NativeSSOError) {
    guard configuration.metadata.issuer.hasSameBytes(as: self.configuration.metadata.issuer) else {
      throw NativeSSOError(.callerMisuse, "a client stays with its issuer", name: "issuer")
    }
    self.configuration = configuration
    refusal = nil
    pausedUntil = nil
  }

  /// Signs in: silently if possible, otherwise through the browser.
  ///
  /// - Parameters:
  ///   - announcing: told before a silent attempt, to show "Signing in automatically…".
  ///   - present: shows a URL in the system's browser and returns the redirect.
  /// - Throws: what `present` throws, and ``NativeSSOError`` if the interactive login fails.
  public func signIn(
    announcing: (@Sendable () async -> Void)? = nil, present: @Sendable (_ url: String) async throws -> String
  ) async throws -> SignIn {
    if case .signedIn(let signIn) = await signInSilently(announcing: announcing) { return signIn }
    let login = try beginLogin()
    return try await completeLogin(login, redirect: try await present(login.url))
  }

  /// Signs in with the vendor's pair, without showing anything. Never throws: every failure is a reason to log in.
  public func signInSilently(announcing: (@Sendable () async -> Void)? = nil) async -> SilentSignIn {
    let previous = last
    let task = Task { () async -> SilentSignIn in
      _ = await previous?.value
      return await attemptSilentSignIn(announcing: announcing)
    }
    last = task
    return await task.value
  }

  /// Forgets that the user signed out of this app, so that it may sign in by itself again.
  ///
  /// - Throws: ``NativeSSOErrorCode/storeFailed``; it is then still remembered.
  public func allowAutomaticSignIn() async throws(NativeSSOError) {
    do {
      try await appTokens.setSuppressesAutomaticSignIn(false)
    } catch {
      throw NativeSSOError(.storeFailed, "the app's store failed")
    }
  }

  private func attemptSilentSignIn(announcing: (@Sendable () async -> Void)?) async -> SilentSignIn {
    guard configuration.supportsExchange else { return .loginRequired(.notSupported) }
    if let refusal { return .loginRequired(.refusedEarlier(refusal)) }
    if let pausedUntil {
      let left = pausedUntil.secondsSince1970 - configuration.clock.now.secondsSince1970
      guard left <= 0 else { return .loginRequired(.paused(seconds: Int(left.rounded(.up)))) }
      self.pausedUntil = nil
    }
    guard let isSuppressed = try? await appTokens.suppressesAutomaticSignIn(),
      let entry = try? await store.read(issuer: configuration.metadata.issuer)
    else { return .loginRequired(.storeFailed) }
    guard !isSuppressed else { return .loginRequired(.signedOutByUser) }
    guard let pair = entry.pair, pair.issuer.hasSameBytes(as: configuration.metadata.issuer) else {
      return .loginRequired(.noPair)
    }
    await announcing?()
    let exchange = SilentExchange(configuration: configuration, store: store, appTokens: appTokens)
    let outcome = await exchange.run(entry, pair)
    if case .loginRequired(.refused(let code, let decision)) = outcome {
      if decision.disablesSSO { refusal = code }
      if case .logInAndPause(let seconds) = decision.action {
        pausedUntil = configuration.clock.now.advanced(by: Double(seconds))
      }
    }
    return outcome
  }
}
