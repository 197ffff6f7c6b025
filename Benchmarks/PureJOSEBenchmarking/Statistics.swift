/// The order statistics of a set of samples. They shrug off the outliers that a busy machine makes.
public struct Statistics: Sendable, Hashable {
  /// The smallest sample.
  public let minimum: Double
  /// A quarter of the samples lies below.
  public let lowerQuartile: Double
  /// Half of the samples lies below.
  public let median: Double
  /// A quarter of the samples lies above.
  public let upperQuartile: Double

  /// - Parameter samples: at least one, in any order.
  public init(_ samples: [Double]) {
    precondition(!samples.isEmpty)
    let sorted = samples.sorted()
    self.minimum = sorted[0]
    self.lowerQuartile = Self.quantile(0.25, of: sorted)
    self.median = Self.quantile(0.5, of: sorted)
    self.upperQuartile = Self.quantile(0.75, of: sorted)
  }

  /// Half the distance between the quartiles, as a share of the median: half of the samples lie within the median ±
  /// this share, if they lie evenly around it.
  public var spread: Double { (upperQuartile - lowerQuartile) / 2 / median }

  /// The value below which this share of the sorted samples lies, linear between the two samples beside it.
  private static func quantile(_ share: Double, of sorted: [Double]) -> Double {
    let position = share * Double(sorted.count - 1)
    let below = Int(position)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (sorted[above] - sorted[below]) * (position - Double(below))
  }
}
