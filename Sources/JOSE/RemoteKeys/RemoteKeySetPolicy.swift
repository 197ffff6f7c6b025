/// How long the keys of a remote set are trusted, and how often they are asked for.
public struct RemoteKeySetPolicy: Sendable, Hashable {
  /// How long a set stays fresh if the answer doesn't say. Default 600 seconds.
  public var maximumAge = Duration.seconds(600)
  /// The longest that an answer may ask for. Default 86 400 seconds.
  public var greatestMaximumAge = Duration.seconds(86_400)
  /// The least time between two requests while there are keys, whatever tokens and answers ask for. Default 30 seconds.
  public var cooldown = Duration.seconds(30)
  /// How long before its end a set is renewed in the background, when it is used. Default 60 seconds.
  public var refreshAhead = Duration.seconds(60)
  /// How long past its end a set serves while it is being renewed. After that, callers wait for the answer. Default 60
  /// seconds.
  ///
  /// An answer may ask for less, and there is no such time after `no-store`, `no-cache` and `must-revalidate`.
  ///
  /// Source: RFC 5861 §3.
  public var staleWhileRevalidate = Duration.seconds(60)
  /// How long past its end a set serves after a request that failed. Default 3600 seconds.
  ///
  /// An answer may ask for less, and there is no such time after `no-store`, `no-cache` and `must-revalidate`.
  ///
  /// Source: RFC 5861 §4.
  public var staleIfError = Duration.seconds(3600)
  /// The least time between two requests while there are no keys at all. It doubles with each failure, up to
  /// ``cooldown``. Default 1 second.
  public var retryDelay = Duration.seconds(1)
  /// How long a request may take. After that it has failed, whatever it still answers. Default 10 seconds, at least a
  /// millisecond.
  public var timeLimit = Duration.seconds(10)
  /// Bounds on the answer.
  public var limits = Limits.default

  /// The defaults named above.
  public static let `default` = RemoteKeySetPolicy()

  /// A policy with the defaults, to be changed member by member.
  public init() {}
}
