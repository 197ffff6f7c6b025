import JOSE
import OpenIDKit

/// One app's login by Native SSO whose tokens a `TokenManager` keeps: begun silently or in the browser, refreshed, lent
/// to the vendor's other apps, and begun anew without a browser when it has ended.
///
/// ```swift
/// let session = try NativeSSOSession(configuration, pairs: sharedStore, tokens: ownStore, signOut: remembered)
/// let signIn = try await session.signIn { url in try await browser.open(url) }
/// let token = try await session.validToken()
/// ```
///
/// ``validToken(minimumRemaining:)`` is what an app calls; ``manager`` has the state for the user interface, and serves
/// `RequestAuthorizer`.
///
/// Source: OpenID Connect Native SSO for Mobile Apps 1.0.
public struct NativeSSOSession: Sendable {
  /// Signs in and out. What it brings goes to ``manager``, as long as that or the session is held.
  public let client: NativeSSOClient
  /// Keeps the tokens fresh.
  public let manager: TokenManager
  private let login: ManagedLogin
  private let records: TokenRecords

  /// A session with its client and its manager.
  ///
  /// - Parameters:
  ///   - configuration: whose transport throws `RequestNotSent` if a request certainly did not leave. Its clock should
  ///     be the manager's.
  ///   - pairs: shared by the vendor's apps: one store for each issuer.
  ///   - tokens: this app's alone.
  ///   - signOut: remembers that the user has signed out of this app.
  ///   - settings: the manager's.
  ///   - lock: keeps other processes of this app from refreshing at the same time.
  ///   - clock: the manager's.
  /// - Throws: `settingInvalid`.
  public init(
    _ configuration: NativeSSOClientConfiguration, pairs: any SecretStore, tokens: any SecretStore,
    signOut: SignOutMemory, settings: TokenSettings = TokenSettings(), lock: (any RefreshLock)? = nil,
    clock: TokenClock = .system
  ) throws(OpenIDError) {
    login = ManagedLogin(signOut: signOut)
    client = NativeSSOClient(configuration, pairs: pairs, appTokens: login)
    manager = try TokenManager(
      store: tokens, refresher: SharingRefresher(client: client, login: login), settings: settings,
      idTokenCheck: IDTokenCheck { [client, login] token, accessToken in
        let verified = try await client.verified(renewedIDToken: token, accessToken: accessToken)
        if let unshared = login.takeUnshared(token) { await client.share(unshared, boundBy: verified) }
        return verified.claims
      }, lock: lock, clock: clock)
    records = TokenRecords(tokens)
    login.manager = manager
  }

  /// Signs in: silently if possible, otherwise through the browser. The manager has the tokens when this returns.
  ///
  /// - Parameters:
  ///   - announcing: told before a silent attempt, to show "Signing in automatically…".
  ///   - present: shows a URL in the system's browser and returns the redirect.
  /// - Throws: what `present` throws, and `JOSEError` if the interactive login fails.
  public func signIn(
    announcing: (@Sendable () async -> Void)? = nil, present: @Sendable (_ url: String) async throws -> String
  ) async throws -> SignIn {
    try await client.signIn(announcing: announcing, present: present)
  }

  /// Signs in with the vendor's pair, without showing anything.
  public func signInSilently(announcing: (@Sendable () async -> Void)? = nil) async -> SilentSignIn {
    await client.signInSilently(announcing: announcing)
  }

  /// An access token that is good for a while. If the login has ended, can't be read, or there is none yet, it is begun
  /// anew by the vendor's pair, without showing anything.
  ///
  /// Only the same user's login takes the place of one that has ended: if another user's pair is there by now, the call
  /// ends as the manager's, and ``signIn(announcing:present:)`` tells the app who it is. Many callers make one
  /// exchange.
  /// - Parameter duration: how long the token must be good at least.
  /// - Throws: as `TokenManager.validToken(minimumRemaining:)`: `reauthenticationRequired` or `loggedOut` if there is
  ///   no silent way in.
  public func validToken(minimumRemaining duration: Duration = .zero) async throws(OpenIDError) -> AccessToken {
    let before = await login.known(in: records)
    do throws(OpenIDError) {
      return try await manager.validToken(minimumRemaining: duration)
    } catch {
      // A call that began in a login that was ended or replaced meanwhile is over with it. A record that can't be
      // read is like none.
      let isAbsent = error.code == .loggedOut || error.code == .recordMalformed
      guard error.code == .reauthenticationRequired || (isAbsent && before.subject == nil) else { throw error }
      guard await isBegunAnew(after: before) else { throw error }
      let token = try await manager.validToken(minimumRemaining: duration)
      guard login.known.continues(before) else { throw error }
      return token
    }
  }

  private func isBegunAnew(after before: ManagedLogin.Known) async -> Bool {
    let now = login.known
    guard now.count == before.count else { return now.continues(before) }
    if let subject = before.subject {
      let (configuration, pair) = await (client.configuration, (try? client.shared.load())?.entry.pair)
      guard let pair, configuration.profile.usesPairwiseSubjects || pair.subject == subject else {
        return false
      }
    }
    guard case .signedIn(let signIn) = await client.signInSilently() else { return false }
    return before.subject.map { $0 == signIn.subject } ?? true
  }

  /// Signs out. The manager ends the login and has its refresh token revoked; calls that wait learn it.
  ///
  /// - Parameter scope: this app alone, or all of the vendor on this device.
  /// - Returns: whether the provider has said that the device secret is revoked. Locally it is gone in any case.
  /// - Throws: `ErrorCode.storeUnavailable` if something could not be deleted yet.
  @discardableResult
  public func signOut(_ scope: NativeSSOClient.SignOutScope) async throws(JOSEError) -> Bool {
    try await client.signOut(scope)
  }
}

/// Remembers, beyond the end of the process, that the user has signed out of an app: then it doesn't sign in by itself.
public struct SignOutMemory: Sendable {
  let load: @Sendable () async throws -> Bool
  let save: @Sendable (Bool) async throws -> Void

  /// A memory: a flag in the app's preferences, say.
  ///
  /// - Parameters:
  ///   - load: whether the user has signed out.
  ///   - save: remembers it durably.
  public init(
    load: @escaping @Sendable () async throws -> Bool, save: @escaping @Sendable (Bool) async throws -> Void
  ) {
    self.load = load
    self.save = save
  }
}
