/// Keeps the processes of one app, such as the app and its extensions, from refreshing the same login at once.
public protocol RefreshLock: Sendable {
  /// Takes the lock for at most the time of `lease`. Waits for it no longer than that, and returns false if it can't be
  /// had.
  func acquire(lease: Duration) async -> Bool

  /// Gives the lock back.
  func release() async
}
