/// How long status lists are kept, and how often they are asked for. What a list says by `ttl` and `exp` counts more
/// than header fields of the answer.
package struct StatusListTimes: Sendable {
  /// How long a list is kept if neither its `ttl` nor the answer says.
  package var maximumAge = Duration.seconds(300)
  /// The longest that either may ask for.
  package var greatestMaximumAge = Duration.seconds(86_400)
  /// How long before its end a list is renewed in the background, when it is used: at most a fifth of its time.
  package var refreshAhead = Duration.seconds(30)
  /// How long past its end a list serves after a request that failed, unless its `exp` is sooner.
  package var staleIfError: Duration
  /// The least time between two requests for one list.
  package var cooldown = Duration.seconds(5)
  /// How long a request may take.
  package var timeLimit: Duration
  /// How many lists are kept. Beyond that the one goes whose end is nearest.
  package var listCount = 64

  package init(_ staleIfError: Duration = .zero, _ timeLimit: Duration = .seconds(10)) {
    (self.staleIfError, self.timeLimit) = (staleIfError, timeLimit)
  }
}
