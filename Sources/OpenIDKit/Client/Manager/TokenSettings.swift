/// How a ``TokenManager`` behaves.
public struct TokenSettings: Sendable, Hashable {
  /// Refresh when less than this remains. Up to an hour, default 300 seconds.
  public var refreshThreshold = Duration.seconds(300)
  /// Whether short-lived tokens are not refreshed at every call: ``refreshThreshold`` counts for half of a token's life
  /// at most, ``thresholdJitter`` for a quarter, and ``expirySafety`` for a quarter once a refresh has brought such a
  /// token. Default true.
  public var adaptsThreshold = true
  /// Up to this much is added to the threshold, at random for each token, to spread many clients. At most 60 seconds,
  /// default 15.
  public var thresholdJitter = Duration.seconds(15)
  /// A token with less than this left is not sent. Up to 60 seconds, default 10.
  public var expirySafety = Duration.seconds(10)
  /// How long one request may take before it counts as unanswered. 1 to 120 seconds, default 30.
  public var requestTimeout = Duration.seconds(30)
  /// Failures that may be tried again, in a row, before callers are told. 1 to 10, default 5.
  public var maximumAttempts = 5
  /// The first pause is up to this. Default one second.
  public var backoffBase = Duration.seconds(1)
  /// No pause is longer than this, unless the server asks for it. Default 60 seconds.
  public var backoffCap = Duration.seconds(60)
  /// The longest pause that a server may ask for. Default 300 seconds; zero to ignore what it asks.
  public var maximumRetryAfter = Duration.seconds(300)
  /// How long callers without a usable token wait for the failing server altogether. Default 60 seconds.
  package var episodeTimeLimit = Duration.seconds(60)
  /// By how much the wall clock may be off before a stored expiration is doubted. Up to 300 seconds, default 60.
  public var clockSkewTolerance = Duration.seconds(60)
  /// Whether a refresh token whose answer was lost is sent again. Default true.
  public var replaysLostRotation = true
  /// Whether calls get the old token, as long as it is good, while a refresh is under way. Default false: they wait
  /// for the new one.
  public var servesStaleWhileRefreshing = false
  /// Whether a server that keeps failing ends the login once the access token has expired. Default false: the user
  /// stays logged in.
  public var endsLoginWhenRefreshKeepsFailing = false
  /// For how long refreshing stops after the server refused the client. Default one hour.
  package var misconfigurationPause = Duration.seconds(3600)
  /// `scope` to ask for at a refresh; nil for what was granted.
  public var requestedScope: String?
  /// How long a cross-process lock is held at most. Longer than ``requestTimeout``. Default 45 seconds.
  public var lockLease = Duration.seconds(45)

  /// The defaults.
  public init() {}

  /// - Throws: `ErrorCode.settingInvalid` with the setting's name.
  func requireValid() throws(OpenIDError) {
    func isWithin(_ seconds: ClosedRange<Int>, _ duration: Duration) -> Bool {
      duration >= .seconds(seconds.lowerBound) && duration <= .seconds(seconds.upperBound)
    }
    let rules: [(String, Bool)] = [
      ("refreshThreshold", isWithin(0...3600, refreshThreshold)),
      ("thresholdJitter", isWithin(0...60, thresholdJitter)),
      ("expirySafety", isWithin(0...60, expirySafety)),
      ("requestTimeout", isWithin(1...120, requestTimeout)),
      ("maximumAttempts", (1...10).contains(maximumAttempts)),
      ("backoffBase", isWithin(0...60, backoffBase)),
      ("backoffCap", backoffCap >= backoffBase && backoffCap <= .seconds(3600)),
      ("maximumRetryAfter", isWithin(0...3600, maximumRetryAfter)),
      ("episodeTimeLimit", isWithin(0...3600, episodeTimeLimit)),
      ("clockSkewTolerance", isWithin(0...300, clockSkewTolerance)),
      ("misconfigurationPause", isWithin(0...86_400, misconfigurationPause)),
      ("lockLease", lockLease > requestTimeout && lockLease <= .seconds(600)),
    ]
    for (name, isValid) in rules where !isValid {
      throw OpenIDError(.settingInvalid, "a setting is out of range", name: name)
    }
  }
}
