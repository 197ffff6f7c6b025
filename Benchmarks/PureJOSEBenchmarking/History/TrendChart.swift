/// A line through the medians of an operation, in a band that is as wide as the middle half of each run.
struct TrendChart {
  private static let width = 300.0
  private static let height = 84.0
  private static let margin = 8.0

  let trend: OperationTrend
  let runs: [Report]

  /// An SVG picture. Its height begins at zero, so that twice as high is twice as slow.
  var markup: Markup {
    // A disturbed run has a quartile far above its median. It is cut off, or it would flatten everything else.
    let upper = trend.points.map { min($0.entry.upperQuartile, 1.3 * $0.entry.median) }
    guard let highest = upper.max(), highest > 0 else { return "" }
    func x(_ run: Int) -> Double {
      let share = runs.count > 1 ? Double(run) / Double(runs.count - 1) : 0.5
      return Self.margin + share * (Self.width - 2 * Self.margin)
    }
    func y(_ time: Double) -> Double {
      Self.height - Self.margin - min(time / highest, 1) * (Self.height - 2 * Self.margin)
    }
    func path(_ places: [(Int, Double)]) -> Markup {
      Markup(places.enumerated().map { "\($0 == 0 ? "M" : "L")\(x($1.0)) \(y($1.1))" })
    }
    let points = trend.points
    let median = path(points.map { ($0.run, $0.entry.median) })
    let band = path(
      points.map { ($0.run, $0.entry.upperQuartile) } + points.reversed().map { ($0.run, $0.entry.lowerQuartile) })
    let dots = Markup(points.map { dot($0, x: x($0.run), y: y($0.entry.median)) })
    return """
      <svg viewBox="0 0 \(Self.width) \(Self.height)" role="img" aria-label="\(summary)">
      <line class="ground" x1="0" x2="\(Self.width)" y1="\(y(0))" y2="\(y(0))"/>
      <path class="band" d="\(band) Z"/>
      <path class="median" d="\(median)"/>
      \(dots)
      </svg>
      """
  }

  private func dot(_ point: OperationTrend.Point, x: Double, y: Double) -> Markup {
    let kind: String
    let said: String
    switch point.change {
    case .none: (kind, said) = ("same", "")
    case .slower(let ratio): (kind, said) = ("slower", ", \(NumberText.ratio(ratio)) times the one before")
    case .faster(let ratio): (kind, said) = ("faster", ", \(NumberText.ratio(ratio)) of the one before")
    }
    let run = runs[point.run]
    let time = NumberText.duration(nanoseconds: point.entry.median)
    return """
      <circle class="\(kind)" cx="\(x)" cy="\(y)" r="\(kind == "same" ? 2.5 : 4.5)">\
      <title>\(run.label): \(time)\(said)</title></circle>
      """
  }

  /// What the picture shows, in words.
  private var summary: String {
    let times = trend.points.map { NumberText.duration(nanoseconds: $0.entry.median) }
    return "\(trend.operation): \(times.joined(separator: ", "))"
  }
}
