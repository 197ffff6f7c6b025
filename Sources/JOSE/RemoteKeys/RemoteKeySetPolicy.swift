/// How long the keys of a remote set are trusted, and how often they are asked for. Times are in seconds.
public struct RemoteKeySetPolicy: Sendable, Hashable {
  /// How long a set stays fresh if the answer doesn't say. Default 600.
  public var maximumAge: Double = 600
  /// The longest that an answer may ask for. Default 86 400.
  public var greatestMaximumAge: Double = 86_400
  /// The least time between two requests while there are keys, whatever tokens and answers ask for. Default 30.
  public var cooldown: Double = 30
  /// How long before its end a set is renewed in the background, when it is used. Default 60.
  public var refreshAhead: Double = 60
  /// How long past its end a set serves while it is being renewed. After that, callers wait for the answer. Default 60.
  ///
  /// An answer may ask for less, and there is no such time after `no-store`, `no-cache` and `must-revalidate`.
  ///
  /// Source: RFC 5861 §3.
  public var staleWhileRevalidate: Double = 60
  /// How long past its end a set serves after a request that failed. Default 3600.
  ///
  /// An answer may ask for less, and there is no such time after `no-store`, `no-cache` and `must-revalidate`.
  ///
  /// Source: RFC 5861 §4.
  public var staleIfError: Double = 3600
  /// The least time between two requests while there are no keys at all. It doubles with each failure, up to
  /// ``cooldown``. Default 1.
  public var retryDelay: Double = 1
  /// How long a request may take. After that it has failed, whatever it still answers. Default 10, at least a
  /// millisecond.
  public var timeLimit: Double = 10
  /// Bounds on the answer.
  public var limits = Limits.default

  /// The defaults named above.
  public static let `default` = RemoteKeySetPolicy()

  /// A policy with the defaults, to be changed member by member.
  public init() {}
}
