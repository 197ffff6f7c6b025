import Foundation

/// The environment variable by which PureJOSE lets its backend be chosen.
public enum BackendVariable {
  /// Chooses a backend for this process. Has to come before the first use of PureJOSE, which reads the variable once.
  public static func set(_ backend: String) {
    // The C library copies both texts before it returns.
    unsafe setenv("PUREJOSE_BACKEND", backend, 1)
  }
}
