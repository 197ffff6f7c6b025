extension Duration {
  /// A number of seconds. Beyond 2⁵³ in magnitude, the nearest duration of so many; not a number is none.
  ///
  /// `Duration.seconds(_:)` traps where a number is too large, and rounds whole ones.
  package init(saturating seconds: Double) {
    let seconds = NumericDate(saturating: seconds).secondsSince1970
    let whole = seconds.rounded(.towardZero)
    self.init(
      secondsComponent: Int64(whole), attosecondsComponent: Int64(((seconds - whole) * 1e18).rounded()))
  }

  /// The seconds, exact where they are whole and at most 2⁵³. What 64 bits can't say is the most that they can.
  package var inSeconds: Double {
    guard self != .zero else { return 0 }
    // `components` traps beyond 64 bits.
    let (seconds, attoseconds) = max(.seconds(Int64.min), min(.seconds(Int64.max), self)).components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// The seconds as a message says them: whole ones, rounded towards zero, and at most 2⁵³ in magnitude.
  package var wholeSeconds: Int { NumericDate(saturating: inSeconds).wholeSeconds }
}
