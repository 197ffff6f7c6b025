// Windows and WASI have neither owners of files nor locks that end with a process.
#if !os(Windows) && !os(WASI)
  import Foundation
  import Synchronization
  import OpenIDKit

  /// Keeps processes of one machine from refreshing the same login at once, by a lock on a file, which ends with its
  /// process.
  ///
  /// Not for files on network drives.
  public final class FileRefreshLock: RefreshLock {
    private struct State {
      var descriptor: Int32?
      /// Counts the times that the lock was taken, so that a lease that is over ends its own lock and no later one.
      var lease: UInt64 = 0
    }

    private let path: String
    private let pause: Duration
    private let state = Mutex(State())

    /// A lock.
    ///
    /// - Parameters:
    ///   - path: of a file, which is made if it is not there; the same in all processes. Its directory must belong to
    ///     this user alone.
    ///   - pause: the time between two tries while another process has the lock.
    public init(path: String, pause: Duration = .milliseconds(50)) {
      self.path = path
      self.pause = max(.milliseconds(1), pause)
    }

    deinit {
      if let descriptor = state.withLock({ $0.descriptor }) { close(descriptor) }
    }

    /// Takes the lock for at most the time of `lease`.
    public func acquire(lease: Duration) async -> Bool {
      let start = ContinuousClock.now
      while true {
        if take(lease: lease) { return true }
        guard start.duration(to: .now) < lease, (try? await Task.sleep(for: pause)) != nil else {
          return false
        }
      }
    }

    /// Gives the lock back.
    public func release() async { end(nil) }

    private func take(lease: Duration) -> Bool {
      let number = state.withLock { state -> UInt64? in
        // Its holder in this process keeps it until it is given back.
        guard state.descriptor == nil else { return nil }
        // The C library reads the path before it returns.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
          close(descriptor)
          return nil
        }
        state.descriptor = descriptor
        state.lease += 1
        return state.lease
      }
      guard let number else { return false }
      Task { [weak self] in
        try? await Task.sleep(for: lease)
        self?.end(number)
      }
      return true
    }

    /// Ends the lock of a lease, or whichever there is. Closing releases it.
    private func end(_ lease: UInt64?) {
      let descriptor = state.withLock { state -> Int32? in
        guard lease == nil || lease == state.lease else { return nil }
        defer { state.descriptor = nil }
        return state.descriptor
      }
      if let descriptor { close(descriptor) }
    }
  }
#endif
