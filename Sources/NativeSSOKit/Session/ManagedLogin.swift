import JOSE
import OpenIDKit
import PureCrypto
import StrictJSON
import Synchronization

/// Hands a client's tokens to a manager.
final class ManagedLogin: AppTokens {
  /// The user who is logged in, and how many logins there were until now.
  struct Known: Sendable {
    var subject: WireName?
    var count = 0

    /// Whether this is a later login of the same user, or the first one.
    func continues(_ before: Known) -> Bool {
      guard let subject else { return false }
      return before.subject ?? subject == subject
    }
  }

  private struct StoreFailed: Error {}

  private struct State {
    var known = Known()
    var isLoaded = false
    var unshared: UnsharedAnswer?
    // The manager holds its refresher, which holds the client and this.
    weak var manager: TokenManager?
  }

  private let signOut: SignOutMemory
  private let state = Mutex(State())

  init(signOut: SignOutMemory) { self.signOut = signOut }

  var manager: TokenManager? {
    get { state.withLock { $0.manager } }
    set { state.withLock { $0.manager = newValue } }
  }

  /// The last answer to a refresh, until its ID token has been judged.
  var unshared: UnsharedAnswer? {
    get { state.withLock { $0.unshared } }
    set { state.withLock { $0.unshared = newValue } }
  }

  /// The answer with this ID token, which is then held no more.
  func takeUnshared(_ idToken: String) -> UnsharedAnswer? {
    state.withLock { state in
      guard let unshared = state.unshared, let held = unshared.response.tokens.idToken,
        ConstantTime.equal(held.utf8, idToken.utf8)
      else {
        return nil
      }
      state.unshared = nil
      return unshared
    }
  }

  var known: Known { state.withLock { $0.known } }

  /// Who is logged in; at first, who was when the process began.
  func known(in store: TokenRecords) async -> Known {
    guard !state.withLock({ $0.isLoaded }), let record = try? await store.load() else { return known }
    return state.withLock { state in
      if !state.isLoaded, state.known.count == 0 { state.known.subject = record.subject.map { WireName($0) } }
      state.isLoaded = true
      return state.known
    }
  }

  func save(_ tokens: TokenAnswer, subject: String) async throws {
    guard let manager else { throw StoreFailed() }
    // Before the manager has the tokens: a call of another login must not take them for its own.
    let before = state.withLock { state in
      defer { (state.known.subject, state.isLoaded) = (WireName(subject), true) }
      return state.known.subject
    }
    do {
      try await manager.logIn(tokens, subject: subject)
    } catch {
      state.withLock { $0.known.subject = before }
      throw error
    }
    state.withLock { $0.known.count += 1 }
  }

  func clear() async throws {
    state.withLock { state in
      state.known.subject = nil
      state.unshared = nil
      state.isLoaded = true
    }
    guard let manager, await manager.logOut() else { throw StoreFailed() }
  }

  func suppressesAutomaticSignIn() async throws -> Bool { try await signOut.load() }

  func setSuppressesAutomaticSignIn(_ suppresses: Bool) async throws { try await signOut.save(suppresses) }
}
