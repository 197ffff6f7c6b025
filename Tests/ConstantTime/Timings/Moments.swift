/// Number, mean and variance of what was measured, without keeping it (Welford).
struct Moments {
  private(set) var count = 0.0
  private(set) var mean = 0.0
  private var squares = 0.0

  mutating func add(_ value: Double) {
    count += 1
    let difference = value - mean
    mean += difference / count
    squares += difference * (value - mean)
  }

  var variance: Double { count > 1 ? squares / (count - 1) : 0 }
}

/// Two classes of measurements, and Welch's t between them.
struct Comparison {
  private(set) var fixed = Moments()
  private(set) var random = Moments()

  mutating func add(_ value: Double, isFixed: Bool) {
    if isFixed { fixed.add(value) } else { random.add(value) }
  }

  /// (m₁ − m₂) / √(v₁/n₁ + v₂/n₂); 0 where either class is too small to say.
  var t: Double {
    guard fixed.count > 1000, random.count > 1000 else { return 0 }
    let error = fixed.variance / fixed.count + random.variance / random.count
    return error > 0 ? (fixed.mean - random.mean) / error.squareRoot() : 0
  }
}
