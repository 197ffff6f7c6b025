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
