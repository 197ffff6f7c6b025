extension Duration {
  /// A number of seconds. Beyond 2⁵³ in magnitude, the nearest duration; zero for NaN.
  ///
  /// `Duration.seconds(_:)` traps where a number is too large, and rounds whole ones.
  package init(saturating seconds: Double) {
    let seconds = NumericDate(saturating: seconds).secondsSince1970
    let whole = seconds.rounded(.towardZero)
    let fraction = seconds - whole
    let product = fraction * 1e18
    // What the product lost by rounding: fraction · 10¹⁸ = product + rest, exactly.
    let rest = (-product).addingProduct(fraction, 1e18)
    let attoseconds = product.rounded(.towardZero)
    self.init(
      secondsComponent: Int64(whole),
      attosecondsComponent: Int64(attoseconds) + Int64(((product - attoseconds) + rest).rounded()))
  }

  /// The seconds, exact where they are whole and at most 2⁵³. What 64 bits can't say is the most that they can.
  package var inSeconds: Double {
    guard self != .zero else { return 0 }
    // `components` traps beyond 64 bits.
    let (seconds, attoseconds) = max(.seconds(Int64.min), min(.seconds(Int64.max), self)).components
    let nearest = Double(attoseconds)
    let quotient = nearest / 1e18
    // What the quotient and the conversion lost by rounding.
    let rest = nearest.addingProduct(-quotient, 1e18) + Double(attoseconds - Int64(nearest))
    return Double(seconds) + (quotient + rest / 1e18)
  }

  /// The seconds as a message says them: whole ones, rounded towards zero, and at most 2⁵³ in magnitude.
  package var wholeSeconds: Int {
    // `components` traps beyond 64 bits, and a Double would round up what lacks less than a nanosecond.
    let seconds = max(.seconds(Int64.min), min(.seconds(Int64.max), self)).components.seconds
    return NumericDate(Int(clamping: seconds)).wholeSeconds
  }
}
