/// Keeps the processes of one app, such as the app and its extensions, from refreshing the same login at once.
///
/// A manager holds it for one refresh, and beyond that while the store fails to take what the refresh has brought:
/// until then another process would find, and send, a refresh token that has been used.
public protocol RefreshLock: Sendable {
  /// Takes the lock for at most the time of `lease`. Waits for it no longer than that, and returns false if it can't be
  /// had.
  func acquire(lease: Duration) async -> Bool

  /// Gives the lock back.
  func release() async
}
