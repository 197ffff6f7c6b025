/// What can go wrong with one refresh request, at each step from the store to the server and back.
enum Fault: CaseIterable, Sendable {
  /// Nothing.
  case none

  // Before the request leaves.
  case crashBeforeWriteAhead
  case writeAheadFails
  case crashAfterWriteAhead
  case notSent

  // On the way to the server.
  case requestLost
  case requestLostThenCrash
  /// The request arrives after the one that follows it.
  case requestDelayed
  /// The request arrives twice; the client gets the first answer, or the second.
  case duplicateFirstAnswer
  case duplicateSecondAnswer

  // At the server.
  case serverBusy
  case serverFaultBeforeCommit
  case serverFaultAfterCommit

  // On the way back.
  case answerLost
  case crashBeforeAnswer
  /// The answer comes while the next request is under way, or after that has been answered.
  case answerDuringNext
  case answerAfterNext

  // After the answer has come.
  case crashBeforePersist
  case persistFails
  case crashAfterPersist
}

/// How a run goes.
struct Schedule: Sendable, CustomStringConvertible {
  var faults: [Fault]
  var mode: RotationMode
  /// Whether the access token has expired at the beginning, or is merely due.
  var isExpired: Bool
  /// Whether pauses and restarts outlast the grace window.
  var isSlow: Bool

  enum RotationMode: CaseIterable, Sendable { case replaySuccessor, newestWins, singleUse, noRotation }

  var description: String { "\(faults) \(mode)\(isExpired ? " expired" : " due")\(isSlow ? " slow" : " fast")" }
}
