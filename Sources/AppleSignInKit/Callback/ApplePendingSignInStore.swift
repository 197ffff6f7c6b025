import PureCrypto
import JOSE
import StrictJSON

/// Where pending sign-ins wait for their response.
///
/// The handle ties a sign-in to one browser: put it in a short-lived cookie `SameSite=None; Secure; HttpOnly`. The
/// main session cookie won't
/// do, because browsers leave `SameSite=Lax` cookies out of the cross-site POST that `form_post` is. Machines that
/// answer for one site must share one store.
public protocol ApplePendingSignInStore: Sendable {
  /// Keeps a sign-in under a handle, in one atomic step. Returns false if the handle is taken.
  ///
  /// - Throws: anything; the sign-in does not begin then (``SignInWithAppleErrorCode/storeUnavailable``).
  func insert(_ pending: ApplePendingSignIn, handle: String) async throws -> Bool

  /// Removes and returns the sign-in of a handle, in one atomic step: of two callers at most one gets it. Handles are
  /// compared as bytes.
  ///
  /// - Throws: anything; the sign-in does not finish then (``SignInWithAppleErrorCode/storeUnavailable``).
  func take(handle: String) async throws -> ApplePendingSignIn?
}

/// Pending sign-ins in memory, for one process.
///
/// When the store is full, sign-ins that are too old to be answered make room; if there are none, no more are accepted.
public actor InMemoryApplePendingSignInStore: ApplePendingSignInStore {
  /// The store is full.
  public struct Full: Error {}

  private let lifetime: Double
  private let clock: WallClock
  private var pending: OneTimeRoom<ApplePendingSignIn>

  /// A store for so many sign-ins.
  ///
  /// - Parameters:
  ///   - capacity: how many may wait at once; whoever begins one more while none is too old gets
  ///     ``SignInWithAppleErrorCode/storeUnavailable``.
  ///   - lifetime: seconds after which a sign-in may be forgotten.
  ///   - clock: the one that dates sign-ins.
  public init(capacity: Int = 10_000, lifetime: Double = 600, clock: WallClock = .system) {
    self.pending = OneTimeRoom(capacity: capacity)
    self.lifetime = lifetime
    self.clock = clock
  }

  /// How many sign-ins are waiting.
  public var count: Int { pending.count }

  /// Keeps a sign-in. Returns false if the handle is taken.
  ///
  /// - Throws: ``Full``.
  public func insert(_ signIn: ApplePendingSignIn, handle: String) throws -> Bool {
    let oldest = clock.now.advanced(by: -lifetime)
    guard let isKept = pending.insert(signIn, handle, where: { $0.startedAt <= oldest }) else { throw Full() }
    return isKept
  }

  /// Removes and returns the sign-in of a handle.
  public func take(handle: String) -> ApplePendingSignIn? {
    pending.take(handle)
  }
}

extension InMemoryApplePendingSignInStore: Redacted {
  /// The type's name. No handle.
  public nonisolated var description: String { "InMemoryApplePendingSignInStore" }
}
