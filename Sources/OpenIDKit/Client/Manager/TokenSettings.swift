/// How a ``TokenManager`` behaves. Times are in seconds.
public struct TokenSettings: Sendable, Hashable {
  /// Refresh when less than this remains. 0 to 3600, default 300.
  public var refreshThreshold = 300.0
  /// Whether short-lived tokens are not refreshed at every call: ``refreshThreshold`` counts for half of a token's life
  /// at most, ``thresholdJitter`` for a quarter, and ``expirySafety`` for a quarter once a refresh has brought such a
  /// token. Default true.
  public var adaptsThreshold = true
  /// Up to so much is added to the threshold, at random for each token, to spread many clients. 0 to 60, default 15.
  public var thresholdJitter = 15.0
  /// A token with less than this left is not sent. 0 to 60, default 10.
  public var expirySafety = 10.0
  /// How long one request may take before it counts as unanswered. 1 to 120, default 30.
  public var requestTimeout = 30.0
  /// Failures that may be tried again, in a row, before callers are told. 1 to 10, default 5.
  public var maximumAttempts = 5
  /// The first pause is up to this. Default 1.
  public var backoffBase = 1.0
  /// No pause is longer than this, unless the server asks for it. Default 60.
  public var backoffCap = 60.0
  /// The longest pause that a server may ask for. Default 300; 0 to ignore what it asks.
  public var maximumRetryAfter = 300.0
  /// How long callers without a usable token wait for the failing server altogether. Default 60.
  package var episodeTimeLimit = 60.0
  /// By how much the wall clock may be off before a stored expiration is doubted. 0 to 300, default 60.
  public var clockSkewTolerance = 60.0
  /// Whether a refresh token whose answer was lost is sent again. Default true.
  public var replaysLostRotation = true
  /// Whether calls get the old token, as long as it is good, while a refresh is under way. Default false: they wait
  /// for the new one.
  public var servesStaleWhileRefreshing = false
  /// Whether a server that keeps failing ends the login once the access token has expired. Default false: the user
  /// stays logged in.
  public var endsLoginWhenRefreshKeepsFailing = false
  /// For how long refreshing stops after the server refused the client. Default one hour.
  package var misconfigurationPause = 3600.0
  /// `scope` to ask for at a refresh; nil for what was granted.
  public var requestedScope: String?
  /// How long a cross-process lock is held at most. Longer than ``requestTimeout``. Default 45.
  public var lockLease = 45.0

  /// The defaults.
  public init() {}

  /// - Throws: `ErrorCode.settingInvalid` with the setting's name.
  func requireValid() throws(OpenIDError) {
    let rules: [(String, Bool)] = [
      ("refreshThreshold", (0...3600).contains(refreshThreshold)),
      ("thresholdJitter", (0...60).contains(thresholdJitter)),
      ("expirySafety", (0...60).contains(expirySafety)), ("requestTimeout", (1...120).contains(requestTimeout)),
      ("maximumAttempts", (1...10).contains(maximumAttempts)), ("backoffBase", (0...60).contains(backoffBase)),
      ("backoffCap", backoffCap >= backoffBase && backoffCap <= 3600),
      ("maximumRetryAfter", (0...3600).contains(maximumRetryAfter)),
      ("episodeTimeLimit", (0...3600).contains(episodeTimeLimit)),
      ("clockSkewTolerance", (0...300).contains(clockSkewTolerance)),
      ("misconfigurationPause", (0...86_400).contains(misconfigurationPause)),
      ("lockLease", lockLease > requestTimeout && lockLease <= 600),
    ]
    for (name, isValid) in rules where !isValid {
      throw OpenIDError(.settingInvalid, "a setting is out of range", name: name)
    }
  }
}
